"""Words: how messages of the engines become texts at the table."""

import logging
from gettext import GNUTranslations
from pathlib import Path

import pytest

from engines.common.contract import Message
from engines.common.errors import AlreadyPlayed, Fact
from engines.common.pieces import Piece
from firmware.common.errors import TagRefused, WordsError
from firmware.voice.words import Catalogue, Refusal, Words, languages, read_catalogue, words_of

NAMES = ("Ann", "Ben", "Cem")
HEADER = r"""
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\n"
"Language: en\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\n"
"""
POLISH_HEADER = r"""
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\n"
"Language: pl\n"
"Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) "
"? 1 : 2);\n"
"""


def entry(code: str, *texts: str) -> str:
    """Return the lines of a catalogue for *code*: *texts* is one text, or its plural forms."""
    if len(texts) == 1:
        return f'\nmsgid "{code}"\nmsgstr "{texts[0]}"\n'
    forms = "".join(f'msgstr[{n}] "{text}"\n' for n, text in enumerate(texts))
    return f'\nmsgid "{code}"\nmsgid_plural "{code}"\n{forms}'


@pytest.fixture
def words(tmp_path: Path) -> Words:
    """The words of a small game, with the table's words as fallback."""
    game = (
        entry("turn", "{seat} to play."),
        entry("gift", "{giver_seat} gives {piece} to {seat}."),
        entry("piece.lamp", "the Lamp"),
        entry("piece.jane", "Jane", "{n} Janes"),
        entry("taken", "{seat} takes {pieces}."),
        entry("turned", "Now {direction}."),
        entry("drawn", "{seat} draws {n} card.", "{seat} draws {n} cards."),
        entry("weight", "{weight}"),
        entry("not-now", "{seat}: {waits}"),
        entry("waits.place", "find a place for {piece}."),
        entry("waits.loop", "{waits}"),
        entry("broken-words", "{wieght} on the camel"),
        entry("unwritten", ""),
        entry("already-played.happened", "{piece} lies there."),
        entry("already-played.do", "Take it back."),
        entry("hello", "game"),
    )
    table = (
        entry("direction.clockwise", "clockwise"),
        entry("bye", "Goodbye."),
        entry("hello", "table"),
    )
    return Words("en", [catalogue(tmp_path, "game", *game), catalogue(tmp_path, "table", *table)])


def catalogue(folder: Path, name: str, *entries: str, header: str = HEADER) -> Catalogue:
    file = folder / f"{name}.po"
    file.write_text(header + "".join(entries), encoding="utf-8")
    return read_catalogue(file)


def say(words: Words, code: str, **facts: Fact) -> str:
    return words.say(Message(code, facts), NAMES)


def test_a_seat_reads_as_the_players_name(words: Words) -> None:
    assert say(words, "turn", seat=1) == "Ben to play."


def test_a_further_seat_and_a_piece_read_as_words(words: Words) -> None:
    assert say(words, "gift", giver_seat=0, seat=2, piece=Piece("lamp", 3)) == (
        "Ann gives the Lamp to Cem."
    )


def test_a_piece_without_words_reads_as_its_kind(words: Words) -> None:
    assert say(words, "gift", giver_seat=0, seat=2, piece=Piece("straw")) == (
        "Ann gives straw to Cem."
    )


def test_pieces_read_as_a_list_in_which_kinds_are_counted(words: Words) -> None:
    """Kinds with a plural are counted; pieces of other kinds are named one by one."""
    janes = (Piece("jane"), Piece("jane", 2))
    lamps = (Piece("lamp", 4), Piece("lamp", 4))
    assert say(words, "taken", seat=0, pieces=janes) == "Ann takes 2 Janes."
    assert say(words, "taken", seat=0, pieces=(*lamps, *janes[:1])) == (
        "Ann takes the Lamp, the Lamp, Jane."
    )
    assert say(words, "taken", seat=0, pieces=(Piece("settler"),)) == "Ann takes settler."
    assert say(words, "gift", giver_seat=0, seat=2, piece=janes[1]) == "Ann gives Jane to Cem."


def test_words_with_a_plural_are_those_for_one_where_nothing_is_counted(
    words: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A text with a plural but no number reads as the singular, also on Debian Bookworm.

    Bookworm's Python 3.11.2 finds texts with a plural only for a given number.
    """
    newer = GNUTranslations.gettext
    monkeypatch.setattr(
        GNUTranslations,
        "gettext",
        lambda texts, code: code if code == "piece.jane" else newer(texts, code),
    )
    assert say(words, "gift", giver_seat=0, seat=2, piece=Piece("jane")) == "Ann gives Jane to Cem."


def test_a_text_names_the_form_in_which_it_wants_a_fact(tmp_path: Path) -> None:
    german = catalogue(
        tmp_path,
        "de.po",
        entry("piece.mirror", "der Spiegel", "{n} Spiegel"),
        entry("piece.mirror.acc", "den Spiegel", "{n} Spiegel"),
        entry("piece.seven", "die 7"),
        entry("take", "Nimm {piece:acc} zurück."),
        entry("lies", "Da liegt {piece}."),
        entry("takes", "{seat} nimmt {pieces:acc}."),
        entry("where", "Er liegt {place:dat}."),
        entry("place.hand.dat", "auf der Hand"),
    )
    words, mirror, seven = Words("de", [german]), Piece("mirror"), Piece("seven")
    assert say(words, "take", piece=mirror) == "Nimm den Spiegel zurück."
    assert say(words, "take", piece=seven) == "Nimm die 7 zurück.", "this form has no words"
    assert say(words, "take", piece=Piece("gap")) == "Nimm gap zurück."
    assert say(words, "lies", piece=mirror) == "Da liegt der Spiegel."
    several = (mirror, Piece("mirror", 2), seven)
    assert say(words, "takes", seat=1, pieces=several) == "Ben nimmt 2 Spiegel, die 7."
    assert say(words, "takes", seat=1, pieces=(mirror,)) == "Ben nimmt den Spiegel."
    assert say(words, "where", place="hand") == "Er liegt auf der Hand."
    assert say(words, "where", place="box") == "Er liegt box."


def test_what_is_said_aloud_may_differ_from_what_is_shown(tmp_path: Path) -> None:
    file = catalogue(
        tmp_path,
        "en.po",
        entry("area", "{columns} x {rows}: {piece}"),
        entry("area.spoken", "{columns} by {rows}: {piece}"),
        entry("piece.lamp", "Lamp"),
        entry("piece.lamp.spoken", "the Lamp"),
        entry("turn", "{seat} to play."),
    )
    words = Words("en", [file])
    message = Message("area", {"columns": 3, "rows": 2, "piece": Piece("lamp")})
    assert words.say(message) == "3 x 2: Lamp"
    assert words.tell(message) == "3 by 2: the Lamp"
    assert words.tell(Message("turn", {"seat": 0}), NAMES) == "Ann to play."
    assert words.tell(Message("nowhere")) == "nowhere"


def test_the_words_of_a_fact_are_filled_with_the_other_facts(words: Words) -> None:
    told = say(words, "not-now", seat=1, waits="place", piece=Piece("lamp"))
    assert told == "Ben: find a place for the Lamp."


def test_words_that_fill_themselves_are_told_as_they_are(
    words: Words, caplog: pytest.LogCaptureFixture
) -> None:
    assert say(words, "not-now", seat=1, waits="loop") == "{seat}: {waits}"
    assert "cannot be filled" in caplog.text


def test_a_seat_nobody_sits_on_reads_as_its_number(words: Words) -> None:
    assert say(words, "turn", seat=5) == "6 to play."


def test_a_direction_reads_as_its_words(words: Words) -> None:
    assert say(words, "turned", direction="clockwise") == "Now clockwise."
    assert say(words, "turned", direction="sideways") == "Now sideways."


@pytest.mark.parametrize(("n", "said"), [(0, "0 cards"), (1, "1 card"), (2, "2 cards")])
def test_n_decides_the_plural(words: Words, n: int, said: str) -> None:
    assert say(words, "drawn", seat=0, n=n) == f"Ann draws {said}."


def test_the_plural_follows_the_catalogues_own_rule(tmp_path: Path) -> None:
    forms = entry("cards", "{n} karta", "{n} karty", "{n} kart")
    words = Words("pl", [catalogue(tmp_path, "pl", forms, header=POLISH_HEADER)])
    said = [say(words, "cards", n=n) for n in (1, 3, 5, 12, 22)]
    assert said == ["1 karta", "3 karty", "5 kart", "12 kart", "22 karty"]


def test_a_games_words_come_before_the_tables(words: Words) -> None:
    assert words.plain("hello") == "game"
    assert words.plain("bye") == "Goodbye."


def test_a_refusal_tells_what_happened_what_to_do_and_the_rule(words: Words) -> None:
    refusal = words.refusal(AlreadyPlayed(piece=Piece("lamp")), NAMES)
    assert refusal == Refusal("the Lamp lies there.", "Take it back.", AlreadyPlayed.rule)


def test_a_missing_word_is_told_as_its_code_and_logged_once(
    words: Words, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        assert [say(words, "nowhere") for _ in range(3)] == ["nowhere"] * 3
    assert caplog.messages == ["Words: no words in en for nowhere"]


def test_a_text_that_cannot_be_filled_is_told_as_it_is_and_logged_once(
    words: Words, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        assert say(words, "broken-words", weight=7) == "{wieght} on the camel"
        assert say(words, "broken-words", weight=8) == "{wieght} on the camel"
    assert len(caplog.messages) == 1


def test_an_empty_text_is_missing(words: Words) -> None:
    assert words.has("turn")
    assert not words.has("unwritten")
    assert not words.has("nowhere")


def test_a_gap_in_a_language_reads_as_english() -> None:
    words = words_of("xx")
    assert words.plain("direction.clockwise") == "clockwise"


def test_the_tables_words_are_there_in_english() -> None:
    words = words_of("en")
    shared = [f"{code}.{part}" for code in SHARED_REFUSALS for part in ("happened", "do")]
    assert words.codes.issuperset(("direction.clockwise", "direction.counter-clockwise", *shared))
    assert "en" in languages()


SHARED_REFUSALS = (
    "unknown-tag",
    "not-in-this-game",
    "not-expected-now",
    "not-your-turn",
    "already-played",
    *(refusal.code for refusal in TagRefused.__subclasses__()),
)


def test_a_games_words_are_found_beside_the_tables() -> None:
    words = words_of("en", "engines.straw")
    assert words.has("title")
    assert words.has("unknown-tag.do")


def test_a_broken_catalogue_is_told_with_its_file(tmp_path: Path) -> None:
    with pytest.raises(WordsError, match=r"game\.po is not a catalogue of words"):
        catalogue(tmp_path, "game", "\nturn = oops\n")


def test_a_catalogue_that_cannot_be_read_is_told_with_its_file(tmp_path: Path) -> None:
    with pytest.raises(WordsError, match=r"nowhere\.po cannot be read"):
        read_catalogue(tmp_path / "nowhere.po")
