"""The settings of the voice, and their storage in the journal."""

from pathlib import Path

import pytest

from engines.common.contract import Topic
from engines.common.pieces import Piece
from firmware.boxes.register import COMMANDS
from firmware.journal.journal import Journal
from firmware.runtime.controller import JOURNAL, words_for
from firmware.table.events import TagUnreadable
from firmware.voice.settings import Level, Settings
from firmware.voice.settings_store import SettingsStore
from sim.mat.tags import stranger_uid, uid_of
from tests.firmware.tabletop import Tabletop, arrived, break_disk

BEGINS = Settings("en", silent=frozenset({Topic.TURN}))


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / JOURNAL)


def test_it_begins_as_table_toml_says(journal: Journal) -> None:
    assert SettingsStore(BEGINS, words_for, journal).current == BEGINS
    journal.close()


def test_what_was_set_is_kept_by_the_journal(journal: Journal) -> None:
    store = SettingsStore(BEGINS, words_for, journal)
    store.set("level", "full")
    store.set("volume", 30)
    assert store.current == Settings("en", Level.FULL, 30, BEGINS.silent)
    assert SettingsStore(BEGINS, words_for, journal).current == store.current
    journal.close()


@pytest.mark.parametrize(
    ("name", "value"),
    [("level", "loud"), ("volume", 101), ("volume", True), ("language", "xx"), ("colour", "red")],
)
def test_what_a_setting_cannot_be_changes_nothing_and_what_was_kept_of_it_is_left_out(
    journal: Journal, name: str, value: str | int
) -> None:
    store = SettingsStore(BEGINS, words_for, journal)
    with pytest.raises(ValueError, match=r"cannot be|not a valid"):
        store.set(name, value)
    journal.note_setting(name, value)
    assert SettingsStore(BEGINS, words_for, journal).current == BEGINS
    journal.close()


# --- at the table --------------------------------------------------------------------------------


@pytest.fixture
def straw(tmp_path: Path) -> Tabletop:
    return Tabletop(tmp_path).start()


def test_the_menu_and_a_command_card_open_the_settings(straw: Tabletop) -> None:
    straw.press()
    straw.choose("settings")
    assert straw.said == "Settings Language: English"
    straw.press("back")
    assert (straw.view.phase, straw.said) == ("play", "0 Lay a card, then draw one.")
    for _ in range(2):
        straw.card("settings")
        assert straw.view.phase == "settings"
    straw.press("back")
    assert straw.view.phase == "play"
    straw.close()


def test_a_setting_is_turned_to_by_ear(straw: Tabletop) -> None:
    straw.card("settings")
    straw.turn(1)
    assert straw.said == "Speech: normal"
    straw.press()
    assert straw.said == "Speech normal"
    straw.turn(1)
    assert straw.said == "full"
    straw.press()
    assert straw.said == "Speech: full"
    assert straw.table.settings.level is Level.FULL
    straw.close()


def test_number_cards_choose_in_the_list(straw: Tabletop) -> None:
    straw.card("settings")
    straw.card("number-3")
    straw.card("number-4")
    assert (straw.said, straw.table.settings.volume) == ("Volume: 40", 40)
    straw.card("number-9")
    assert straw.refused == "no-such-value"
    straw.close()


@pytest.mark.parametrize(("number", "prompt"), [(1, "Language"), (2, "Speech"), (3, "Volume")])
def test_a_number_card_opens_the_setting_with_that_number(
    straw: Tabletop, number: int, prompt: str
) -> None:
    straw.card("settings")
    straw.card(f"number-{number}")
    assert straw.view.choices is not None
    assert straw.view.choices.prompt == prompt
    straw.press("back")
    assert straw.view.choices.cursor == number - 1
    straw.close()


def test_a_card_of_the_game_closes_the_settings_and_counts(straw: Tabletop) -> None:
    straw.card("settings")
    straw.tap("weight-7")
    assert (straw.view.phase, straw.view.headline, straw.said) == ("play", "7", "7 Ben to play.")
    straw.close()


def test_at_level_full_the_card_comes_before_and_the_direction_after(straw: Tabletop) -> None:
    straw.table.context.settings.set("level", "full")
    straw.tap("weight-7")
    assert straw.said == "the 7 7 Ben to play. clockwise"
    straw.tap("reverse")
    assert straw.said == "the Reverse 7 Now counter-clockwise. Ann to play."
    straw.close()


def test_what_cannot_be_saved_is_not_set(straw: Tabletop, monkeypatch: pytest.MonkeyPatch) -> None:
    break_disk(monkeypatch, straw.journal)
    straw.card("settings")
    straw.card("number-3")
    straw.card("number-4")
    assert (straw.refused, straw.table.settings.volume) == ("not-saved", 100)
    straw.close()


def test_a_power_cut_leaves_the_settings_as_they_are(straw: Tabletop) -> None:
    straw.card("settings")
    straw.card("number-3")
    straw.card("number-5")
    straw.again()
    assert straw.table.settings.volume == 50
    straw.close()


def test_the_language_changes_in_the_middle_of_a_game_and_all_of_it_at_once(
    straw: Tabletop,
) -> None:
    straw.play("weight-7")
    straw.card("settings")
    straw.press()
    straw.choose("de")
    assert straw.said.endswith(": Deutsch")
    straw.press("back")
    assert straw.view.hint == words_for("de")["straw"].plain("lay-a-card")
    straw.tap("straw")
    assert straw.said.startswith(straw.notice.happened)
    assert "Kamel" in straw.notice.happened
    straw.again()
    assert straw.table.settings.language == "de"
    straw.close()


def test_what_differs_aloud_is_heard_and_what_is_written_is_read(straw: Tabletop) -> None:
    straw.table.context.settings.set("language", "hu")
    straw.receive(arrived(stranger_uid()))
    assert straw.notice.do == "Vedd el, vagy regisztráld: OK, aztán Matricák."
    assert straw.said.endswith("Vedd el, vagy regisztráld: oké, aztán Matricák.")
    straw.press()
    straw.choose("end-game")
    straw.choose("yes")
    straw.card("say-again")
    assert "nyomj OK-t" in straw.view.hint
    assert "nyomd meg az oké gombot" in straw.said
    straw.close()


def test_a_game_in_the_list_is_called_as_the_language_says_it(tmp_path: Path) -> None:
    top = Tabletop(tmp_path)
    top.table.context.settings.set("language", "de")
    top.press()
    top.turn(4)
    assert top.view.choices is not None
    assert (top.view.choices.items[4], top.said) == ("Straw", "Stroo")
    top.press()
    assert top.said == "Stroo? OK startet."
    top.close()


def test_a_volume_between_the_steps_opens_at_the_nearest(straw: Tabletop) -> None:
    straw.table.context.settings.set("volume", 78)
    straw.card("settings")
    straw.choose("volume")
    assert straw.said == "Volume 80"
    straw.close()


def test_a_new_sticker_is_enrolled_under_the_settings_and_closes_them(tmp_path: Path) -> None:
    top = Tabletop(tmp_path, is_blank=True)
    top.register.bind(uid_of(COMMANDS, Piece("settings")), COMMANDS, Piece("settings"))
    top.press()
    top.choose("straw")
    top.card("settings")
    assert top.view.phase == "settings"
    top.receive(arrived(stranger_uid(), was_found=True))
    assert (top.refused, top.view.counts["enrolled"]) == ("lay-again", 0)
    top.card("settings")
    top.receive(arrived(stranger_uid()))
    assert (top.view.phase, top.view.counts["enrolled"]) == ("enrolling", 1)
    top.card("settings")
    top.receive(TagUnreadable("play"))
    assert "take another sticker" in top.said
    top.close()
