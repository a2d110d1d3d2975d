"""Games for small children speak at a child's level, in every language.

Random games are played at the table. Everything that it then shows and says is checked.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random

import pytest

from engines.common.contract import Message, message
from engines.common.errors import Fact
from engines.common.lessons import lessons_of
from engines.common.pieces import Piece
from firmware.boxes.games import games
from firmware.boxes.register import COMMANDS
from firmware.show.view import ListView, TableView
from firmware.table.events import Event
from firmware.table.modes.game_menu import GameMenu
from firmware.table.modes.game_overlay import GameOverlay
from firmware.table.modes.playing import Playing
from firmware.table.table import Feedback
from firmware.voice.words import ENGLISH, Words, languages, read_catalogue, words_of
from hardware.ports import Pressed, Turned
from sim.mat.tags import uid_of
from tests.effort import long_unless
from tests.engines.contract import Case
from tests.firmware.record import laid, play
from tests.firmware.tabletop import Tabletop
from tests.hardware.soak_speech import NAMES, UNSAID, facts_of

SENTENCES = 2  # most sentences in a line or a text
NUMBER = 20  # greatest number that is said; the display may show a greater one
# Most words in a sentence. The name of a player, and of a piece or a group of pieces, is one word.
# Romance languages need more words, such as articles, for the same sentence.
WORDS = {"de": 10, "en": 10, "es": 12, "fr": 12, "hu": 10, "it": 12}
HARD = {
    "de": "beziehungsweise variante strafe ablage uhrzeigersinn schuld korrektur hausregel",
    "en": "respectively variant penalty discards clockwise counter-clockwise owed debt correction",
    "es": "respectivamente variante descartes horario antihorario deuda debes corrección",
    "fr": "respectivement variante défausse horaire antihoraire dette dues correction",
    "hu": "illetve változat büntetés dobópakli óramutató tartozás javítás",
    "it": "rispettivamente variante penalità scarti orario antiorario debito correzione",
}  # fmt: skip

GAMES: Sequence[tuple[str, Mapping[str, str]]] = (
    ("cramel", {}),
    ("cramel", {"stop-without-set": "off", "gol-set": "4"}),
    ("ciao", {"variant": "symbols", "scoring": "on", "rounds": "2"}),
    ("ciao", {"variant": "specials", "plus3-must-beat": "on"}),
    ("ciao", {"variant": "colours", "scoring": "on", "name-specials": "on"}),
)
ACTS = 250  # acts at the table in each game


@dataclass(frozen=True)
class Told:
    """A text that the table has said, or shown."""

    text: str
    is_said: bool


# --- the level -----------------------------------------------------------------------------------


class Level:
    """A child's level in *language*, for texts of the game with *words*, played by *names*."""

    def __init__(self, words: Words, names: Sequence[str]) -> None:
        self.language = words.language
        codes = sorted(filter(is_name, words.codes))
        called = {words.say(Message(code, {"n": n})) for code in codes for n in (1, NUMBER)}
        longest = sorted(map(re.escape, {*names, *called}), key=len, reverse=True)
        counted = (re.sub(rf"^{NUMBER}\b", r"\\d+", name) for name in longest)
        self._name = re.compile(rf"(?<!\w)(?:{'|'.join(counted)})(?!\w)", re.IGNORECASE)
        self._hard = frozenset(HARD[self.language].split())

    def faults(self, told: Told) -> Iterator[str]:
        """Yield what a child would not understand in a text."""
        text = self._name.sub("N", told.text)
        sentences = [each for each in re.split(r"(?<=[.!?])\s+", text) if re.search(r"\w", each)]
        if told.is_said and len(sentences) > SENTENCES:
            yield f"{len(sentences)} sentences"
        for each in sentences:
            words = [word for word in each.split() if re.search(r"\w", word)]
            if len(words) > WORDS[self.language]:
                yield f"{len(words)} words"
        if hard := self._hard.intersection(re.findall(r"[\w-]+", text.lower())):
            yield f"hard words: {', '.join(sorted(hard))}"
        if told.is_said and any(int(number) > NUMBER for number in re.findall(r"\d+", text)):
            yield f"a number above {NUMBER}"


def is_name(code: str) -> bool:
    """Return True if *code* is that of the name of a piece or of a group of pieces."""
    return code.startswith(("piece.", "card.", "group."))


# --- random games --------------------------------------------------------------------------------


class ChildrensTable(Tabletop):
    """A table in *language* at which *game* is taught. *planted* are texts that replace others."""

    def __init__(self, folder: Path, language: str, game: str, planted: str = "") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._planted = folder / "planted.po"
        self._planted.write_text(planted)
        super().__init__(folder, game=game)
        settings = self.table.context.settings
        for name, value in (("language", language), ("level", "full"), ("hints", "careful")):
            settings.set(name, value)

    def words_for(self, language: str) -> dict[str, Words]:
        """Return the texts, with those that are planted."""
        planted = read_catalogue(self._planted)
        known = super().words_for(language)
        return {
            name: Words(language, (planted, *words._catalogues)) for name, words in known.items()
        }

    def teach(self, options: Mapping[str, str]) -> Sequence[Feedback]:
        """Start a game with *options* that the table teaches; return what it says."""
        self.lay(str(Case(games()[self.game]).deck.pieces()[0]))
        for name, value in options.items():
            self.choose(name)
            self.choose(value)
        return self.choose("learn")


def told_in(top: ChildrensTable, options: Mapping[str, str], seed: int) -> Iterator[Told]:
    """Yield everything that the table shows and says while random people play a game."""
    yield from told_by(top.teach(options), top.view)
    chance = Random(seed)
    for _ in range(ACTS):
        mode = top.table._mode
        if isinstance(mode, GameMenu):
            yield from told_by(top.choose("scores"), top.view)
            continue
        if not isinstance(mode, Playing | GameOverlay):
            return
        yield from told_by(top.receive(any_event(top, mode, chance)), top.view)


def any_event(top: ChildrensTable, mode: Playing | GameOverlay, chance: Random) -> Event:
    """Return a random act of people who play."""
    match chance.choices(
        ("play", "card", "press", "turn", "command"), (0.6, 0.12, 0.12, 0.04, 0.12)
    )[0]:
        case "play" if isinstance(mode, Playing):
            return play(top, mode, chance)
        case "press":
            return Pressed(chance.choice(("ok", "action", "back")))
        case "turn":
            return Turned(1)
        case "command":
            card = chance.choice(("what-now", "say-again", "say-everything", "number-2"))
            return laid(chance, uid_of(COMMANDS, Piece(card)))
    pieces = chance.sample(Case(games()[top.game]).deck.pieces(), chance.choice((1, 1, 2)))
    return laid(chance, *(uid_of(top.game, piece) for piece in pieces))


def told_by(answers: Iterable[Feedback], view: TableView) -> Iterator[Told]:
    """Yield the texts of *answers* and of *view*."""
    for answer in answers:
        yield from (Told(line.text, True) for line in answer.say)
        if answer.notice is not None:
            yield from (Told(text, False) for text in (answer.notice.happened, answer.notice.do))
    listed = view.choices or ListView("", (), 0)
    shown = (view.headline, view.caption, view.hint, view.action, listed.prompt, *listed.items)
    yield from (Told(text, False) for text in shown)


def wrong_in(top: ChildrensTable, options: Mapping[str, str]) -> list[str]:
    """Return the faults of all texts in a random game."""
    try:
        level = Level(top.table.context.words[top.game].for_children(), top.names)
        told = dict.fromkeys(told_in(top, options, seed=7))
    finally:
        top.close()
    assert len(told) > 100, "the game was hardly played"
    return [f"{fault}: {each.text}" for each in told for fault in level.faults(each)]


# --- the tests -----------------------------------------------------------------------------------

CHILDRENS = sorted({name for name, _ in GAMES})
# Texts for the adults who set the game up, or for a page.
FOR_ADULTS = ("option.", "print.", "cannot-start.", "odd-card.", "nothing-to-win.")

every_language = pytest.mark.parametrize("language", languages())


def is_in_every_run(case: tuple[int, str]) -> bool:
    """Return True for one game in each language, and one language of each game."""
    number, language = case
    return languages().index(language) % len(GAMES) == number


@pytest.mark.parametrize(
    ("number", "language"), long_unless(is_in_every_run, product(range(len(GAMES)), languages()))
)
def test_a_childrens_game_is_told_at_a_childs_level(
    number: int, language: str, tmp_path: Path
) -> None:
    game, options = GAMES[number]
    assert wrong_in(ChildrensTable(tmp_path, language, game), options) == []


@every_language
@pytest.mark.parametrize("game", CHILDRENS)
def test_every_text_of_a_childrens_game_is_at_a_childs_level(game: str, language: str) -> None:
    """All numbers are above 20, so that none is said."""
    rules, words = games()[game], words_of(language, games()[game].package).for_children()
    lessons = lessons_of(rules)
    assert lessons is not None
    taught = {lesson.code for lesson in (*lessons.opening, *lessons.lessons)}
    level = Level(words, NAMES)
    own = words_of(language, rules.package)._catalogues[0].codes
    wrong = []
    for code in sorted(own):
        is_read = code.endswith(UNSAID) or code.startswith(FOR_ADULTS)
        if is_read or (code.startswith("rules.") and code not in taught):
            continue
        facts = {name: large(fact) for name, fact in facts_of(words, code).items()}
        text = words.tell(message(code, **facts, n=NUMBER + 1), NAMES)
        wrong += [f"{code}: {fault}: {text}" for fault in level.faults(Told(text, True))]
    assert wrong == []


def large(fact: Fact) -> Fact:
    """Return *fact*, or a number too large to be said for a number that is not a seat.

    Texts in place of a fact are no numbers.
    """
    if isinstance(fact, int):
        return NUMBER + 1 if fact > 1 else fact
    return re.sub(r"\d+", "N", fact) if isinstance(fact, str) and fact[0].isdigit() else fact


@pytest.mark.parametrize("variant", ["full", "symbols", "specials", "colours"])
def test_ciao_is_a_childrens_game_in_three_variants(variant: str) -> None:
    case = Case(games()["ciao"])
    view = case.game.view(case.game.start(case.setup(3, variant=variant)))
    assert view.is_for_children is (variant != "full")


@pytest.mark.parametrize(
    ("text", "fault"),
    long_unless(
        lambda case: "penalty" in case[0],
        [
            ("{seat} plays. Then Ben. Then Cem.", "3 sentences"),
            ("{seat} may lay one more card if nobody else wants to.", "11 words"),
            ("{seat} gets a penalty.", "hard words: penalty"),
            ("{seat} has 21 cards.", "a number above 20"),
        ],
    ),
)
def test_a_text_that_is_too_hard_is_found(text: str, fault: str, tmp_path: Path) -> None:
    planted = PLANTED.format(text=text)
    wrong = wrong_in(ChildrensTable(tmp_path, ENGLISH, "ciao", planted), GAMES[2][1])
    assert f"{fault}: {text.format(seat='Ann')}" in wrong


PLANTED = """\
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

msgid "turn.child"
msgstr "{text}"
"""


def test_the_voice_tells_children_no_large_number() -> None:
    words = words_of(ENGLISH, "engines.cramel").for_children()
    total = Message("total", {"seat": 0, "n": 21})
    assert words.tell(total, ("Ann",)) == "Ann has more than 20 tiles."
    assert words.say(total, ("Ann",)) == "Ann has 21 tiles."
    assert words.tell(Message("total", {"seat": 0, "n": 20}), ("Ann",)) == "Ann has 20 tiles."
    assert [words.number(n) for n in (20, 21)] == ["20", "more than 20"]
    assert words_of(ENGLISH, "engines.cramel").tell(total, ("Ann",)) == "Ann has 21 tiles."


def test_a_game_of_adults_has_the_usual_texts(tmp_path: Path) -> None:
    """The settings of a children's table do not change what other games say."""
    top = ChildrensTable(tmp_path, ENGLISH, "ciao")
    try:
        top.teach({})
        assert "clockwise" in {line.text for answer in top.card("say-everything")
                               for line in answer.say}  # fmt: skip
    finally:
        top.close()
