#!/bin/sh
# tapmat as the table's service has it: its user, its state, its table. Written by install-pi.
case " $* " in
    *" --table"* | *" --help "*) ;;
    " play "* | " doctor "* | " wiring "* | " enrol "* | " safe "* | " voice "*)
        set -- "$@" --table /etc/tapmat/table.toml ;;
esac
set -- env TAPMAT_STATE=/var/lib/tapmat CACHE_DIRECTORY=/var/cache/tapmat LG_WD=/tmp /opt/tapmat/current/bin/tapmat "$@"
[ "$(id -un)" = tapmat ] || set -- sudo -u tapmat "$@"
exec "$@"
