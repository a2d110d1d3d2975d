"""Measurements of the voice's delay: from ``say()`` for a cached line to the first sample.

The whole voice of this computer runs, except for two stand-in programs on the path: ``espeak-ng``
copies a sound, and ``pacat`` passes its samples to a pipe that is read here. The delay of a sound
server and sound card is not included.
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

from firmware.config.table_config import load_config
from firmware.runtime.wiring import open_computer_voice
from hardware.ports import Voice
from hardware.sound import tone
from sim.bench.rows import Figures, MeasuredWrong, Measurement

LINES = 40
LANGUAGE, TEXT = "en", "21."
SOUND = tone(440.0, 0.7)  # about as long as an announced total
UNIT = "CPU + disk ms"
AT_MOST_MS = 60.0
GIVE_UP_S = 10.0
PAUSE_S = 0.05  # between lines, in which the voice starts the next player program


def measurements(*, has_cpu: bool) -> Iterator[Measurement]:
    """Yield the measurement of the voice. It needs CPU times and Unix named pipes."""
    if has_cpu and hasattr(os, "mkfifo"):
        most = {f"{UNIT} median": AT_MOST_MS}
        yield Measurement("cached line to the first sample", first_sample, most)


def first_sample() -> Figures:
    """Measure the ms from ``say()`` to the first sample of a line that was spoken before."""
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
        raise MeasuredWrong(f"the voice made no sound for {TEXT!r}")
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
    """Put the two stand-in programs into *folder*, which is the whole ``PATH`` during the block.

    Yield the file descriptor of the pipe that gets the samples.
    """
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
    samples = os.open(
        pipe, os.O_RDWR | os.O_NONBLOCK
    )  # open for writing too, so that reads never see its end
    try:
        yield samples
    finally:
        os.close(samples)
        os.environ.clear()
        os.environ |= before
