"""Tests that enrol the deck of every installed game through the emulated reader."""

from pathlib import Path

import pytest

from engines.common.pieces import Deck
from firmware.boxes.decks import COMMAND_CARDS
from firmware.config.table_config import load_config
from firmware.journal.state_folder import state_folder
from firmware.runtime.controller import decks_of
from sim.mat.mat import Mat
from sim.people.person import EmulatedPerson
from sim.rehearsal.command import rehearse
from tests.effort import long_unless

CONFIG = load_config()
DECKS = {deck.game: deck for deck in (COMMAND_CARDS, *decks_of(CONFIG).values())}
NO_CONTROLS = '[readers.play]\nspi = "0.0"\n[display]\n'


def story(deck: Deck) -> str:
    """Return a rehearsal that enrols *deck*, with wrong taps and a power cut on the way."""
    pieces = [p for p in deck.pieces() if "sticker" not in deck.by_name[p.kind].traits]
    half = len(pieces) // 2
    opened = f"press ok\nchoose stickers\nchoose {deck.game}\n"
    lines = ["# every card gets its sticker", "stickers new", opened]
    lines += (f"tap {piece}" for piece in pieces[:half])
    lines += [f"tap {pieces[0]}", "expect refused tag-taken"]
    lines += [f"tap {pieces[half]}, {pieces[-1]}", "expect refused two-at-once"]
    lines += ["tap random-uid", "expect refused random-uid", f"expect pieces enrolled {half}"]
    lines += ["power cut", "power on", "tap stranger", "expect refused unknown-tag", opened]
    lines += [f"expect asks sticker {pieces[half]}"]
    lines += (f"tap {piece}" for piece in pieces[half:])
    lines += ["expect refused nothing", f"expect pieces enrolled {len(pieces)}"]
    lines += ['expect screen "All done"', "tap stranger", "expect refused nothing-asked"]
    return "\n".join((*(["game " + deck.game] if deck is not COMMAND_CARDS else []), *lines))


@pytest.mark.parametrize("game", long_unless(lambda game: game == "straw", DECKS))
def test_a_whole_deck_is_enrolled_with_trouble_on_the_way(tmp_path: Path, game: str) -> None:
    file = tmp_path / "enrol.mat"
    file.write_text(f"{story(DECKS[game])}\n", encoding="utf-8")
    report = rehearse(file, CONFIG)
    assert report.failure is None, str(report.failure)


@pytest.mark.long
def test_a_table_without_controls_enrols_command_cards_and_then_a_game_with_them(
    tmp_path: Path,
) -> None:
    """The first enrolment starts as by ``tapmat enrol commands``; its cards start the second."""
    (tmp_path / "table.toml").write_text(NO_CONTROLS, encoding="utf-8")
    config = load_config(tmp_path / "table.toml")
    state = tmp_path / "state"
    mat = Mat(config, state_folder(state), is_blank=True)
    try:
        mat.power_on()
        mat.enrol(COMMAND_CARDS.game)
        person = EmulatedPerson(mat, decks_of(config))
        for piece in COMMAND_CARDS.pieces():
            person.move("tap", [piece], "play", None)
        assert mat.view.headline == "All done"
        person.press("ok")
        person.press("ok")
        person.choose("stickers")
        person.choose("cramel")
        person.press("ok")
        person.choose("bloom")
        person.move("tap", ["bloom"], "play", "cramel")
        assert mat.view.asks == ("sticker bloom#2",)
        person.press("back")
        assert mat.view.counts["enrolled"] == 0
    finally:
        mat.close()
