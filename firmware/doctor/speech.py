"""Checks of the clip pack and of the folder in which synthesized speech is cached.

``firmware.doctor.parts`` checks the voice itself.
"""

from collections.abc import Iterator
from pathlib import Path

from firmware.doctor.computer import Computer
from firmware.doctor.findings import Finding, Verdict
from firmware.doctor.system import MEGABYTE
from firmware.voice.words import languages
from hardware.clips import Clips

SHOWN = 3  # number of unplayable clips to name; the others are counted


def look_at_clips(folder: Path) -> Iterator[Finding]:
    """Count the clips in *folder* in each language, and list those that cannot be played."""
    clips = Clips(folder)
    counts = {language: len(clips.files(language)) for language in languages()}
    totals = ", ".join(f"{count} in {language}" for language, count in counts.items() if count)
    if not totals:
        language = languages()[0]
        remedy = (
            f"Record into {folder / language} the lines printed by: tapmat voice lines {language}"
        )
        yield Finding("clips", Verdict.WARN, f"there are none in {folder}", remedy)
        return
    yield Finding("clips", Verdict.OK, f"{totals}, in {folder}")
    problems = [problem for language in counts for problem in clips.problems(language)]
    for problem in problems[:SHOWN]:
        yield Finding.of("clips", Verdict.WARN, problem)
    if more := problems[SHOWN:]:
        yield Finding("clips", Verdict.WARN, f"{len(more)} more cannot be played")


def look_at_cache(computer: Computer, folder: Path) -> Finding:
    """Check that sounds can be stored in the cache *folder*, and count the sounds in it."""
    there = next(f for f in (folder, *folder.parents) if f.exists())
    if not computer.may_use(there):
        remedy = (
            "Give the folder to this user: sudo chown $USER {folder}; or name another folder in "
            "CACHE_DIRECTORY"
        )
        found = "sounds cannot be stored in {folder}, so new sentences are spoken late"
        return Finding(
            "speech cache",
            Verdict.WARN,
            found.format(folder=folder),
            remedy.format(folder=there),
        )
    sounds = list(folder.iterdir()) if folder.is_dir() else []
    size = sum(sound.stat().st_size for sound in sounds) / MEGABYTE
    found = (
        "{count} sound, {size:.1f} MB in {folder}"
        if len(sounds) == 1
        else "{count} sounds, {size:.1f} MB in {folder}"
    )
    found = found.format(count=len(sounds), size=size, folder=folder)
    return Finding("speech cache", Verdict.OK, found)
