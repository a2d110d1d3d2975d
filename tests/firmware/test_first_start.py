"""The first start of a table from tapmat's image: people choose the language and the kit at it."""

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware.journal.kit_choice import OFFERED, KitChoice
from firmware.plan.templates import TEMPLATES
from tests.firmware.tabletop import Tabletop


@pytest.fixture
def top(tmp_path: Path) -> Iterator[Tabletop]:
    """A table as ``firmware.card`` leaves it at the first start: no kit is chosen yet."""
    (tmp_path / OFFERED).write_text("".join(f"{kit}\n" for kit in TEMPLATES))
    top = Tabletop(tmp_path, is_blank=True)
    yield top
    top.close()


def values(top: Tabletop) -> tuple[str, ...]:
    assert top.view.choices is not None
    return top.view.choices.values


def test_the_language_comes_first_and_then_the_kit(top: Tabletop) -> None:
    assert "de" in values(top)
    top.choose("de")
    assert top.view.choices is not None
    assert top.view.choices.prompt == "Bausatz"
    assert values(top) == TEMPLATES
    (answer,) = top.choose("family")
    assert KitChoice(top.folder).chosen == "family"
    assert top.view.phase == "idle"
    assert answer.notice is not None
    assert "startet neu" in answer.notice.happened
    assert any("startet neu" in line.text for line in answer.say)


def test_the_first_question_is_asked_aloud(top: Tabletop) -> None:
    said = [line.text for line in top.table.wake()]
    assert "Language" in said
    assert "English" in said


@pytest.mark.parametrize("press", ["encoder", "action"])
def test_buttons_alone_are_enough(top: Tabletop, press: str) -> None:
    """No list needs the encoder: the image does not know yet whether there is one."""
    for answer in ("hu", TEMPLATES[1]):
        assert top.view.choices is not None
        for _ in range(values(top).index(answer) - top.view.choices.cursor):
            top.turn(1) if press == "encoder" else top.press("action")
        top.press()
    assert KitChoice(top.folder).chosen == TEMPLATES[1]


def test_number_cards_answer_too(tmp_path: Path) -> None:
    (tmp_path / OFFERED).write_text("\n".join(TEMPLATES))
    top = Tabletop(tmp_path)
    top.card(f"number-{values(top).index('fr') + 1}")
    top.card("number-3")
    top.close()
    assert KitChoice(tmp_path).chosen == TEMPLATES[2]


def test_who_goes_back_is_asked_at_the_next_start(top: Tabletop) -> None:
    for _ in range(2):
        top.press("back")
    assert top.view.phase == "idle"
    assert top.view.choices is None
    top.again()
    assert "de" in values(top)


def test_a_table_with_a_kit_asks_nothing(top: Tabletop) -> None:
    top.choose("en")
    top.choose("smallest")
    top.again()
    assert top.view.phase == "idle"
    assert top.view.choices is None


def test_another_kit_is_chosen_in_the_settings(top: Tabletop) -> None:
    top.choose("en")
    top.choose("smallest")
    top.press()
    top.choose("settings")
    top.choose("kit")
    (same,) = top.choose("smallest")
    assert same.notice is None  # nothing restarts
    top.choose("kit")
    top.choose("five-readers")
    assert KitChoice(top.folder).chosen == "five-readers"


def test_a_kit_that_cannot_be_saved_is_refused(
    top: Tabletop, monkeypatch: pytest.MonkeyPatch
) -> None:
    top.choose("en")

    def full(_file: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("firmware.journal.kit_choice.os.fsync", full)
    (answer,) = top.choose("family")
    assert answer.notice is not None
    assert answer.notice.code == "not-saved"
    assert KitChoice(top.folder).chosen == ""
    assert values(top) == TEMPLATES


def test_only_the_image_offers_kits(tmp_path: Path) -> None:
    top = Tabletop(tmp_path)
    top.press()
    top.choose("settings")
    assert "kit" not in values(top)
    top.close()
