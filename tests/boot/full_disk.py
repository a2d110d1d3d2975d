"""Disks of a machine that fill up in the middle of an installation, so that space really runs out.

On a Pi, everything but ``/boot/firmware`` is usually on one disk. So the machine's whole root gets
a limit, and a stand-in for a command that the installer runs takes all the space just before it.
Other folders can be moved to a separate small disk.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from firmware.pi.computer import SPARE_BYTES
from tests.boot.machine import Done, Machine

SPARE_KB = SPARE_BYTES // 1024
HOOKS, FILLER = "root/hooks", "filler"
ROOM_MB = 300  # more than the installer asks for before it begins
HOOK = """\
#!/bin/sh
fill() {{
    free=$(($(df --output=avail --block-size=1K / | tail -n 1) - {left_kb}))
    [ "$free" -le 0 ] || head -c "${{free}}K" /dev/zero >> /filler 2>/dev/null
}}
is_now=
case "$*" in "{words}"*) [ -e /filler ] || is_now=yes ;; esac
[ -z "$is_now" ] || fill
PATH=/usr/sbin:/usr/bin {command} "$@"
code=$?
[ -z "$is_now" ] || fill
exit $code
"""
# A tmpfs with the size 0 would have no limit: hence the ballast.
MOVE = """\
set -e
mkdir -p /{folder} /run/small
mount -t tmpfs -o mode=755 tmpfs /run/small
cp --archive /{folder}/. /run/small
head -c 4K /dev/zero > /run/small/ballast
used=$(df --output=used --block-size=1K /run/small | tail -n 1)
mount -o remount,size=$((used + {room_kb}))K /run/small
mount --bind /run/small /{folder}
"""
MOVE_BACK = """\
set -e
rm /run/small/ballast
umount /{folder}
find /{folder} -mindepth 1 -delete
cp --archive /run/small/. /{folder}
umount /run/small
"""


@contextmanager
def filled_before(machine: Machine, command: str, left_kb: int = 0) -> Iterator[None]:
    """Run a block in which the installer's *command* finds only *left_kb* kilobytes free.

    *command* is the beginning of a command line. What it deletes is filled too, but only the first
    time. After the block the disk has room again.
    """
    name, _, words = command.partition(" ")
    hook = machine.path(f"{HOOKS}/{name}")
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(HOOK.format(command=name, words=words, left_kb=left_kb), encoding="utf-8")
    hook.chmod(0o755)
    machine.limit_disk(ROOM_MB)
    try:
        yield
        assert machine.path(FILLER).exists(), f"{command} was not run"
    finally:
        hook.unlink()
        machine.path(FILLER).unlink(missing_ok=True)
        machine.limit_disk(None)


@contextmanager
def small_disk(machine: Machine, folder: str, room_kb: int = 0) -> Iterator[None]:
    """Run a block in which *folder* is on a disk with *room_kb* kilobytes free.

    After the block its files are on the root's disk again, which has room.
    """
    made = machine.run("sh", "-c", MOVE.format(folder=folder, room_kb=room_kb))
    assert made.code == 0, made.said
    try:
        yield
    finally:
        left = machine.run("sh", "-c", MOVE_BACK.format(folder=folder))
        assert left.code == 0, left.said


def install(machine: Machine, *words: str) -> Done:
    """Run the installer without questions, with the stand-ins in place of commands."""
    return machine.do(" ".join((f"PATH=/{HOOKS}:$PATH ./install-pi --yes", *words)))
