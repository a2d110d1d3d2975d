"""The checks of what speech is made from: the clip pack, and the folder that sounds are kept in.

Room: firmware/doctor. Whether speech comes to its end is asked of the voice itself.
"""

from collections.abc import Iterator
from gettext import gettext as _
from gettext import ngettext
from pathlib import Path

from firmware.doctor.computer import Computer
from firmware.doctor.findings import Finding, Verdict
from firmware.doctor.system import MEGABYTE
from firmware.words import languages
from hardware.clips import Clips

SHOWN = 3  # clips that cannot be played and are named; of more, one knows by then what to do


def look_at_clips(folder: Path) -> Iterator[Finding]:
    """How many clips there are in each language, and those that cannot be played."""
    clips = Clips(folder)
    counts = {language: len(clips.files(language)) for language in languages()}
    told = ", ".join(
        _("{count} in {language}").format(count=count, language=language)
        for language, count in counts.items()
        if count
    )
    if not told:
        remedy = _("Record into {folder} what this lists: tapmat voice lines")
        found = _("there are none in {folder}").format(folder=folder)
        into = remedy.format(folder=folder / languages()[0])
        yield Finding("clips", Verdict.WARN, found, into)
        return
    yield Finding("clips", Verdict.OK, _("{clips}, in {folder}").format(clips=told, folder=folder))
    problems = [problem for language in counts for problem in clips.problems(language)]
    for problem in problems[:SHOWN]:
        yield Finding.of("clips", Verdict.WARN, problem)
    if more := problems[SHOWN:]:
        yield Finding(
            "clips", Verdict.WARN, _("{count} more cannot be played").format(count=len(more))
        )


def look_at_cache(computer: Computer, folder: Path) -> Finding:
    """Whether what is said can be kept for the next time, and what is there."""
    there = next(f for f in (folder, *folder.parents) if f.exists())
    if not computer.may_use(there):
        remedy = _("Let it: sudo chown $USER {folder}; or name another folder in CACHE_DIRECTORY")
        found = _("sounds cannot be kept in {folder}, so the first words come late")
        return Finding(
            "speech cache",
            Verdict.WARN,
            found.format(folder=folder),
            remedy.format(folder=there),
        )
    sounds = list(folder.iterdir()) if folder.is_dir() else []
    size = sum(sound.stat().st_size for sound in sounds) / MEGABYTE
    found = ngettext(
        "{count} sound, {size:.1f} MB in {folder}",
        "{count} sounds, {size:.1f} MB in {folder}",
        len(sounds),
    )
    told = found.format(count=len(sounds), size=size, folder=folder)
    return Finding("speech cache", Verdict.OK, told)
