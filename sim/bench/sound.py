"""How soon the voice begins: from its being told a line it has kept to the first sample played.

Room: sim. The whole voice of this computer runs; only the programs around it are stand-ins, found
first on the path: one that makes a sound, and one that plays as ``pacat`` is called, takes samples
through its pipe and shows here when they come. What a sound server and a card add is not in it.
"""

import os
import select
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median

from firmware.config import load_config
from firmware.wiring import open_computer_voice
from hardware.ports import Voice
from hardware.sound import tone
from sim.bench.rows import Act, Figures, MeasuredWrong

LINES = 40
LANGUAGE, TEXT = "en", "21."
SOUND = tone(440.0, 0.7)  # about as long as a total
UNIT = "CPU + disk ms"
AT_MOST_MS = 60.0
GIVE_UP_S = 10.0
PAUSE_S = 0.05  # between lines, in which the program for the next one is started


def acts(*, has_cpu: bool) -> Iterator[Act]:
    """What the voice costs, by this machine's clock; it takes pipes with names, as Unix has."""
    if has_cpu and hasattr(os, "mkfifo"):
        most = {f"{UNIT} median": AT_MOST_MS}
        yield Act("cached line to the first sample", first_sample, most)


def first_sample() -> Figures:
    """From ``say()`` until the player has the first sample; the line was said once before."""
    config = replace(load_config(), voice="espeak")
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        samples = opened.enter_context(_stand_ins(folder))
        voice = opened.enter_context(closing(open_computer_voice(config)))
        took_ms = [_took_ms(voice, samples) for _ in range(LINES + 1)][1:]
        if trouble := voice.trouble(GIVE_UP_S):
            raise MeasuredWrong(trouble)
    return {f"{UNIT} median": median(took_ms), f"{UNIT} worst": max(took_ms)}


def _took_ms(voice: Voice, samples: int) -> float:
    _drain(samples)
    began_s = time.perf_counter()
    voice.say(TEXT, LANGUAGE)
    if not select.select([samples], [], [], GIVE_UP_S)[0]:
        raise MeasuredWrong(f"nothing was heard of {TEXT!r}")
    took_s = time.perf_counter() - began_s
    while voice.is_speaking:
        _drain(samples)
        time.sleep(0.001)
    time.sleep(PAUSE_S)
    return took_s * 1000


def _drain(samples: int) -> None:
    while select.select([samples], [], [], 0)[0]:
        os.read(samples, 1 << 16)


@contextmanager
def _stand_ins(folder: Path) -> Iterator[int]:
    """Programs in *folder*, the only ones on the path meanwhile; yields where samples come out."""
    pipe, sound = folder / "samples", folder / "sound.wav"
    os.mkfifo(pipe)
    sound.write_bytes(SOUND.to_wav())
    cat = shutil.which("cat")
    scripts = {"pacat": f"exec {cat} > '{pipe}'", "espeak-ng": f"exec {cat} '{sound}'"}
    for name, script in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    before = dict(os.environ)
    os.environ |= {"PATH": str(folder), "CACHE_DIRECTORY": str(folder / "cache")}
    samples = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)  # with a writer of its own it has no end
    try:
        yield samples
    finally:
        os.close(samples)
        os.environ.clear()
        os.environ |= before
