"""Speak every line of every catalogue with the real espeak-ng and check the sounds.

``python -m tests.hardware.soak_speech --jobs 2`` speaks each text in each language, with sample
facts filled in, and the numbers from -100 to 100. It exits with 1 if a sound is empty, clipped or
longer than six seconds, or if a number is not pronounced as espeak-ng pronounces the bare numeral.
New catalogues, games and languages are included automatically; a fact with a new name needs an
entry in ``SAMPLES``.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TextIO

from engines.common.contract import Message
from engines.common.errors import Fact
from engines.common.lessons import lessons_of
from engines.common.pieces import Piece
from firmware.boxes.games import game_named, game_names
from firmware.voice.words import TABLE_PACKAGE, Words, languages, words_of
from hardware.drivers.espeak import espeak, input_text
from hardware.drivers.synthesis import Synthesis
from hardware.errors import SpeechFault
from hardware.sound import Sound

LONGEST_S = 6.0
SHORTEST_S = 0.1
CLIPPED = 3  # neighbouring samples at full scale; an intact sound never has that many
NUMBERS = range(101)
SHORTEST_MINUS = 3  # phonemes that the word "minus" adds at least; how it sounds varies
NAMES = ("Ann", "Ben", "Cem", "Dora")
# Texts of the rules cards, and questions of a phone. Those of lessons are said.
READ_ONLY = ("rules.", "does.", "phone.unlaid", "phone.claim-sure")
# ``.spoken`` is said instead of the text without the suffix, and ``.page`` is read on the page.
UNSAID = (".spoken", ".page")
COUNTS = (1, 2, 5)  # values of {n}; these languages have no plural form beyond theirs

# Values for the facts in a text. If a catalogue has words for the values, the longest is used.
SAMPLES: dict[str, Fact] = {
    "area": 12, "cards": 10, "code": "riff-raff", "columns": 3, "copy": 2, "count": 4, "done": 3,
    "edges": 4, "game": "riff-raff", "headline": "21", "high": 10, "instead": 12, "label": "OK",
    "limit": 50, "low": -10, "needed": 64, "number": 21, "part": "reader play", "points": 12,
    "round": 3, "rounds": 3, "rows": 2, "score": 12, "spot": "seat-1", "tiles": 7,
    "title": "Riff Raff", "total": 64, "value": 21, "weight": -7, "why": "21", "colours": 2,
    "kinds": 5, "address": "192.168.178.23", "names": "Ann, Ben, Cem", "worth": 7,
    "place": "tapmat.local:8738", "player": "Ann", "list": "12, 3, 0", "most": 40, "goal": 850,
    "name": "Copy", "text": "21", "what": "21, 12", "size": 3, "answer": "12", "where": "12, 3",
}  # fmt: skip


@dataclass(frozen=True)
class Spoken:
    """A text to speak, with the facts filled in, and its language."""

    language: str
    text: str


def catalogues(language: str) -> Iterator[Words]:
    """Yield the catalogue of the table and that of each game in *language*."""
    for package in (TABLE_PACKAGE, *(game_named(name).package for name in game_names())):
        yield words_of(language, package)


def sample(words: Words, name: str) -> Fact:
    """Return a typical value of the fact *name*.

    Raises:
        LookupError: SAMPLES has no value for *name*.
    """
    if name == "seat" or name.endswith("_seat"):
        return 1
    if name in ("piece", "pieces"):
        piece = Piece(longest(words, "piece") or "lamp")
        return piece if name == "piece" else (piece, piece)
    if value := longest(words, name):
        return value
    if name not in SAMPLES:
        raise LookupError(f"What is {{{name}}}? Write a sample of it into SAMPLES.")
    return SAMPLES[name]


def longest(words: Words, name: str) -> str:
    """Return the value of the fact *name* with the longest words; empty if no value has words."""
    codes = (code for code in words.codes if code.startswith(f"{name}.") and code.count(".") == 1)
    facts = {code: {**facts_of(words, code), "n": 2} for code in sorted(codes)}
    told = {code: words.tell(Message(code, facts[code]), NAMES) for code in facts}
    return max(told, key=lambda code: len(told[code]), default="").partition(".")[2]


def facts_of(words: Words, code: str) -> dict[str, Fact]:
    """Return sample values for the facts in the text *code* and in the words of those facts."""
    facts: dict[str, Fact] = {}
    for name in sorted(words.facts(code) - {"n"}):
        fact = sample(words, name)
        if isinstance(fact, str):
            facts |= facts_of(words, f"{name}.{fact}")
        facts[name] = fact
    return facts


def texts(words: Words) -> Iterator[str]:
    """Yield every text of *words* that can be spoken, once for each plural count."""
    for code in sorted(words.codes):
        if code.endswith(UNSAID) or code.startswith(READ_ONLY):
            continue
        facts = facts_of(words, code)
        for n in COUNTS:
            yield words.tell(Message(code, {**facts, "n": n}), NAMES)


def lines(language: str) -> tuple[Spoken, ...]:
    """Return every text that can be spoken in *language*, without duplicates."""
    said = dict.fromkeys(text for words in catalogues(language) for text in texts(words))
    taught = dict.fromkeys(text for name in game_names() for text in lessons(language, name))
    return tuple(Spoken(language, text) for text in said | taught)


def lessons(language: str, game: str) -> Iterator[str]:
    """Yield the lessons of *game*, also for children; those about special pieces have a name."""
    taught, usual = lessons_of(game_named(game)), words_of(language, game_named(game).package)
    for lesson in () if taught is None else (*taught.opening, *taught.lessons):
        for words in (usual, usual.for_children()):
            text = words.tell(Message(lesson.code), NAMES)
            if lesson.code.startswith("does."):
                text = f"{words.tell(Message(f'{lesson.code}.title'), NAMES)}: {text}"
            yield text


def wrong_with(sound: Sound) -> str:
    """Return a description of the error in *sound*; empty if there is none."""
    if sound.seconds < SHORTEST_S or not any(sound.samples):
        return "it is empty"
    if sound.seconds > LONGEST_S:
        return f"it takes {sound.seconds:.1f} s"
    if is_clipped(sound.samples):
        return "it is clipped"
    return ""


def is_clipped(samples: bytes) -> bool:
    """Return True if ``CLIPPED`` neighbouring 16-bit samples are at full scale."""
    for full in (b"\xff\x7f", b"\x00\x80"):
        at = samples.find(full * CLIPPED)
        while at != -1:
            if at % 2 == 0:
                return True
            at = samples.find(full * CLIPPED, at + 1)
    return False


def heard(source: Synthesis, spoken: Spoken) -> str:
    """Return a description of the error in the sound of *spoken*; empty if there is none."""
    try:
        sound = source.sound(spoken.text, spoken.language)
    except SpeechFault as fault:
        return str(fault)
    return "it is silence" if sound is None else wrong_with(sound)


def phonemes(language: str, *words: str) -> list[str]:
    """Return the phonemes of each of *words*, which are passed to espeak-ng unchanged."""
    command = ("espeak-ng", "-q", "-x", "-v", language, "--stdin")
    told = "\n\n".join(words).encode()
    read = subprocess.run(command, input=told, capture_output=True, check=True).stdout.decode()
    return [line.strip() for line in read.splitlines() if line.strip()]


def wrong_numbers(language: str) -> Iterator[str]:
    """Yield a message for each number that is not pronounced as its numeral."""
    numerals = phonemes(language, *map(str, NUMBERS))
    digits = phonemes(language, *(" ".join(str(number)) for number in NUMBERS))
    for ending in ("", "."):  # a number on its own, and at the end of a sentence
        sent = phonemes(
            language, *(input_text(f"{number}{ending}", language) for number in NUMBERS)
        )
        for number, read, numeral, spelt in zip(NUMBERS, sent, numerals, digits, strict=True):
            if read != numeral:
                yield f"{number}{ending} is read {read}, and its numeral {numeral}"
            if number > 9 and squeezed(read) == squeezed(spelt):
                yield f"{number}{ending} is read digit by digit: {read}"
    below = phonemes(language, *(input_text(f"-{number}", language) for number in NUMBERS[1:]))
    for number, read, numeral in zip(NUMBERS[1:], below, numerals[1:], strict=True):
        if len(squeezed(read)) < len(squeezed(numeral)) + SHORTEST_MINUS:
            yield f"-{number} is read {read}"


def squeezed(read: str) -> str:
    """Return *read* without stress and pause marks, which differ between words and sentences."""
    return "".join(sign for sign in read if sign not in " ',_|")


def run(every: int, jobs: int, out: TextIO) -> int:
    """Speak every *every*-th line of each language, print the errors and return the exit code."""
    engine = espeak()
    if engine is None:
        print("espeak-ng is not installed: nothing was said.", file=out)
        return 0
    source = Synthesis(engine)
    wrong: list[str] = []
    for language in languages():
        began_s = time.perf_counter()
        said = lines(language)[::every]
        with ThreadPoolExecutor(jobs) as pool:
            found = list(pool.map(partial(heard, source), said))
        wrong += [f"{s.language}: {s.text}: {f}" for s, f in zip(said, found, strict=True) if f]
        wrong += [f"{language}: {number}" for number in wrong_numbers(language)]
        took_s = time.perf_counter() - began_s
        print(f"{language}: {len(said):,} lines, {took_s:.0f} s", file=out)
    for fault in wrong:
        print(fault, file=out)
    return 1 if wrong else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line, run the check and return the exit code."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--every", type=int, default=1, help="only each so manieth line")
    parser.add_argument("--jobs", type=int, default=2, help="programs at a time")
    asked = parser.parse_args(arguments)
    return run(asked.every, asked.jobs, sys.stdout)


if __name__ == "__main__":
    sys.exit(main())
