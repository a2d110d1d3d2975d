#!/bin/sh
# tapmat for the person who looks after the table. Written by install-pi.
#
# A command that uses the table's parts, games or stickers runs as the table's own user, tapmat, so
# that what it writes there is the service's. All others run as the caller.
program=/opt/tapmat/current/bin/tapmat
table=/etc/tapmat/table.toml

case " $* " in
    *" --sim "* | *" --help "*) exec "$program" "$@" ;;
esac
user=tapmat rights=
case "$1 $2" in
    "play "* | "doctor "* | "safe "* | "voice "*) ;;
    "enrol "* | "journal list" | "journal show" | "journal stats" | "journal bundle" | "journal export" | "journal restore") rights=dac_override ;;
    "journal "* | "hall join" | "hall leave") rights=dac_override table= ;;
    "pieces "* | "wiring "*) user= ;;
    *) exec "$program" "$@" ;;
esac
case " $* " in
    *" --table"*) table= rights=${rights:-dac_read_search} ;;
    *" --template"* | *" --write"*) table= ;;
esac
[ -z "$table" ] || set -- "$@" --table "$table"
[ -n "$user" ] || exec "$program" "$@"

caller=$(id -u):$(id -g)
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }
umask 077
# Files that the caller names may be in a folder that the user tapmat cannot enter: with these rights
# it reads them (dac_read_search), or also writes them (dac_override). The doctor has no more than
# the service when it looks at devices.
as_root setpriv --reuid tapmat --regid tapmat --init-groups \
    ${rights:+--inh-caps "+$rights" --ambient-caps "+$rights"} \
    env TAPMAT_STATE=/var/lib/tapmat CACHE_DIRECTORY=/var/cache/tapmat LG_WD=/tmp HOME=/var/lib/tapmat \
    "$program" "$@"
code=$?
# What it wrote for the caller becomes the caller's.
if [ "$rights" = dac_override ]; then
    for word in "$@" ./*; do
        file=$(readlink -f -- "${word#--*=}") || continue
        case "$file" in /var/lib/tapmat/* | /var/cache/tapmat/*) continue ;; esac
        [ -f "$file" ] && [ "$(stat -c %U "$file")" = tapmat ] && as_root chown "$caller" "$file"
    done
fi
exit $code
