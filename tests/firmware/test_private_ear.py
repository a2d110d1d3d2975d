"""The private ear: what one player alone hears, and what nobody hears at the mat."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from engines.common.contract import Direction, Seat, View, message
from engines.common.layouts import hand
from engines.common.pieces import Piece
from firmware.boxes.games import games
from firmware.boxes.register import COMMANDS
from firmware.journal.journal import GameStart
from firmware.table import private_lines
from firmware.table.events import (
    PRIVATE_COMMANDS,
    PhoneAct,
    PhoneCommand,
    PhoneSilent,
    SettingChosen,
)
from firmware.table.modes.playing import Playing
from firmware.table.private_ear import SILENT_S, LineKind, PrivateLine
from firmware.table.private_lines import PrivateWords
from firmware.table.table import Feedback
from firmware.voice.settings import HINTS, LANGUAGE, Hints
from firmware.voice.words import languages
from hardware.drivers.espeak import espeak
from hardware.drivers.synthesis import Synthesis
from sim.mat.tags import uid_of
from tests.effort import long_unless
from tests.firmware.playouts import moments
from tests.firmware.tabletop import Tabletop, arrived
from tests.firmware.test_catalogues import LONGEST

LISTEN, STOP = PhoneCommand.LISTEN, PhoneCommand.STOP_LISTENING
PLAYABLE, OVERVIEW = PhoneCommand.WHAT_CAN_I_PLAY, PhoneCommand.WHERE_ARE_WE
SPOTS = frozenset({"play", "hand", "seat-1", "seat-2"})
LONGEST_S = 6.0  # of an overview
SILENT = ((), None, None, None)


def table(folder: Path, game: str = "straw", spots: frozenset[str] = SPOTS) -> Tabletop:
    """Return a table with readers on *spots*, and a game of *game* by Ann, Ben and Cem."""
    top = Tabletop(folder, game=game, spots=spots)
    top.start()
    return top


@pytest.fixture
def top(tmp_path: Path) -> Iterator[Tabletop]:
    with closing(table(tmp_path)) as made:
        yield made


def at_phone(top: Tabletop, player: str | None, command: PhoneCommand) -> Feedback:
    (feedback,) = top.receive(PhoneAct(player, 0, command))
    return feedback


def last_line(top: Tabletop, player: str = "Ann") -> PrivateLine | None:
    asked = top.table.asks_of(player)
    assert asked is not None
    return asked.line


def line(top: Tabletop, player: str = "Ann") -> PrivateLine:
    found = last_line(top, player)
    assert found is not None, f"{player} has heard nothing"
    return found


def told(top: Tabletop, player: str, command: PhoneCommand) -> str:
    assert at_phone(top, player, command).refused == ""
    return line(top, player).text


def hold(top: Tabletop, *pieces: str, spot: str = "hand") -> str:
    """Hold *pieces* to Ann's private reader; return what she hears. Nobody else notices."""
    top.now_s += 60.0  # lamps and notices have gone out
    before, entries = top.view, list(top.journal.entries())
    (feedback,) = top.lay(*pieces, spot=spot)
    assert (feedback.say, feedback.flash, feedback.notice, feedback.cue) == SILENT
    assert (top.view, list(top.journal.entries())) == (before, entries)
    return line(top).text


# --- who listens ----------------------------------------------------------------------------------


def test_everybody_hears_whose_the_hand_reader_is_now_but_nothing_else(top: Tabletop) -> None:
    feedback = at_phone(top, "Ann", LISTEN)
    assert [said.text for said in feedback.say] == [
        "From now on, only Ann hears what is on the hand reader."
    ]
    assert line(top).kind is LineKind.EAR
    assert "hand reader" in line(top).text
    assert "own reader" in line(top).text
    for command in PRIVATE_COMMANDS - {LISTEN}:
        assert at_phone(top, "Ann", command).say == ()


def test_the_hand_reader_stays_with_the_player_who_had_it_first(top: Tabletop) -> None:
    at_phone(top, "Ann", LISTEN)
    feedback = at_phone(top, "Ben", LISTEN)
    assert feedback.say == ()
    assert line(top, "Ben").text.startswith("The hand reader speaks to Ann alone.")
    ben_heard = line(top, "Ben")
    assert "7" in hold(top, "weight-7#1")
    assert line(top, "Ben") == ben_heard
    at_phone(top, "Ann", STOP)
    assert at_phone(top, "Ben", LISTEN).say, "now it is Ben's"


def test_the_hand_reader_is_free_after_two_minutes_without_a_sign_of_life(top: Tabletop) -> None:
    at_phone(top, "Ann", LISTEN)
    at_phone(top, "Ben", LISTEN)
    for command in (PhoneCommand.HERE, PLAYABLE, PhoneCommand.SAY_AGAIN):
        top.now_s += SILENT_S - 5.0
        assert not top.table.poll_waits(top.now_s)
        at_phone(top, "Ann", command)
        at_phone(top, "Ben", PhoneCommand.HERE)
    top.now_s += SILENT_S - 1.0
    at_phone(top, "Ben", PhoneCommand.HERE)
    assert top.table.poll_waits(top.now_s) == (PhoneSilent("Ann"),)
    assert top.receive(PhoneSilent("Ben")) == (), "the reader is not his"
    (feedback,) = top.receive(PhoneSilent("Ann"))
    assert [said.text for said in feedback.say] == ["The hand reader is free again."]
    assert not top.table.asks_of("Ann").is_listening  # type: ignore[union-attr]
    assert top.table.asks_of("Ben").is_listening  # type: ignore[union-attr]
    assert not top.table.poll_waits(top.now_s + SILENT_S)
    assert at_phone(top, "Ben", LISTEN).say, "now it is Ben's"
    at_phone(top, "Ann", LISTEN)  # the phone is back
    assert line(top).text.startswith("The hand reader speaks to Ben alone.")


def test_the_host_frees_the_hand_reader_and_no_player_does(top: Tabletop) -> None:
    free = PhoneCommand.FREE_HAND_READER

    def act(player: str | None) -> Feedback:
        (feedback,) = top.receive(PhoneAct(player, top.journal.moment, free))
        return feedback

    assert act(None).refused == "That is not possible now."
    at_phone(top, "Ann", LISTEN)
    assert top.table.asks_of_host().hand_reader_of == "Ann"
    assert act("Ben").refused == "That is not possible now."
    feedback = act(None)
    assert (feedback.refused, [said.text for said in feedback.say]) == ("", [line(top).text])
    assert line(top).text == "The hand reader is free again."
    assert top.table.asks_of_host().hand_reader_of == ""
    assert top.table.asks_of("Ann").is_listening, "her own reader still speaks"  # type: ignore[union-attr]
    (feedback,) = top.tap("weight-7", spot="hand")
    assert feedback.notice is not None, "it is everybody's now"
    assert at_phone(top, "Ben", LISTEN).say, "now it is Ben's"


def test_a_player_who_does_not_listen_changes_nothing_at_the_mat(top: Tabletop) -> None:
    (feedback,) = top.tap("weight-7", spot="hand")
    assert feedback.notice is not None
    assert feedback.notice.code == "not-expected-now"
    at_phone(top, "Ann", LISTEN)
    at_phone(top, "Ann", STOP)
    assert top.table.asks_of("Ann").line is None  # type: ignore[union-attr]
    (feedback,) = top.tap("weight-7", spot="hand")
    assert feedback.notice is not None


@pytest.mark.parametrize("player", [None, "Zoe"])
def test_only_a_player_of_this_game_can_listen(top: Tabletop, player: str | None) -> None:
    assert at_phone(top, player, LISTEN).refused == "That is not possible now."
    (feedback,) = top.tap("weight-7", spot="hand")
    assert feedback.notice is not None


def test_without_readers_for_hands_the_phone_says_so(tmp_path: Path) -> None:
    with closing(table(tmp_path, spots=frozenset({"play"}))) as top:
        assert at_phone(top, "Ann", LISTEN).say == ()
        assert line(top).text.startswith("This table has no reader for hands.")
        playable = (
            "Ann can play: any carpet, any weight, the Lamp, the Reverse. Or press: can't play."
        )
        assert told(top, "Ann", PLAYABLE) == playable


# --- cards ----------------------------------------------------------------------------------------


def test_a_card_on_the_hand_reader_is_named_with_its_reason(top: Tabletop) -> None:
    at_phone(top, "Ann", LISTEN)
    assert hold(top, "weight-7#1") == "The 7. You can play it."
    assert hold(top, "straw#1") == "The Straw. The camel carries 0. Straw goes on only at 50."
    assert hold(top, "weight-8#1", "lamp#1") == "The 8, the Lamp."
    first, again = line(top), hold(top, "weight-8#1", "lamp#1")
    assert (again, line(top).number) == (first.text, first.number + 1)


def test_the_own_reader_names_cards_only_while_the_game_asks_for_none_there(top: Tabletop) -> None:
    at_phone(top, "Ann", LISTEN)
    top.lay("weight-7#1", spot="seat-1")
    assert (top.view.headline, last_line(top)) == ("7", None), "it was a play"
    assert hold(top, "weight-8#1", spot="seat-1") == "The 8."
    (feedback,) = top.lay("weight-9#1", spot="seat-3")
    assert feedback.notice is not None, "Cem does not listen"


def test_where_hands_are_counted_a_card_counts(top: Tabletop) -> None:
    at_phone(top, "Ann", LISTEN)
    for kind in ["weight-10"] * 4 + ["weight-9", "weight-2"]:
        top.tap(kind)
    assert top.view.phase == "scoring"
    top.tap("weight-2", spot="hand")
    assert (top.view.headline, last_line(top)) == ("2", None)


def test_a_card_of_a_stack_that_is_not_held_is_played(top: Tabletop) -> None:
    at_phone(top, "Ann", LISTEN)
    held, laid = (uid_of("straw", Piece(kind)) for kind in ("weight-7", "weight-3"))
    on_hand, on_play = arrived(held, spot="hand").tags, arrived(laid).tags
    top.receive(replace(arrived(), tags=(*on_hand, *on_play)))
    assert (top.view.headline, known(top)) == ("3", 1), "the 7 is held"


def test_a_card_that_lay_there_at_switch_on_and_other_games_stay_unheard(top: Tabletop) -> None:
    at_phone(top, "Ann", LISTEN)
    heard = line(top)
    top.lay("weight-7#1", spot="hand", was_found=True)
    (feedback,) = top.receive(arrived(uid_of("ciao", Piece("obstacle")), spot="hand"))
    assert feedback.notice is not None
    assert line(top) == heard


def test_command_cards_on_the_own_reader_ask_privately(top: Tabletop) -> None:
    at_phone(top, "Ann", LISTEN)
    kinds = {"say-again": LineKind.PLAYABLE, "say-everything": LineKind.OVERVIEW}
    for card, kind in kinds.items():
        (feedback,) = top.receive(arrived(uid_of(COMMANDS, Piece(card)), spot="hand"))
        assert (feedback.say, line(top).kind) == ((), kind)
        (feedback,) = top.card(card)
        assert feedback.say, "on the shared reader it speaks to everybody"


def test_a_list_stays_open_while_a_player_listens_to_a_card(top: Tabletop) -> None:
    at_phone(top, "Ann", LISTEN)
    for command in ("press", "settings"):
        if command == "press":
            top.press()
        else:
            top.card("settings")
        assert top.view.choices is not None
        hold(top, "weight-7#1")
        assert top.view.choices is not None
        top.press("back")


# --- what can I play? -----------------------------------------------------------------------------


def test_playable_cards_come_first_then_why_the_others_are_not(top: Tabletop) -> None:
    at_phone(top, "Ann", LISTEN)
    assert told(top, "Ann", PLAYABLE) == "4 more to show: hold them to a reader."
    hold(top, "straw#1", "weight-7#1", "weight-7#2")
    assert told(top, "Ann", PLAYABLE) == (
        "You can play: the 7, the 7. "
        "The Straw: The camel carries 0. Straw goes on only at 50. "
        "1 more to show: hold it to a reader."
    )
    assert told(top, "Ben", PLAYABLE) == "Ann to play."


def test_the_best_card_comes_first_and_is_recommended_if_the_setting_says_so(
    tmp_path: Path,
) -> None:
    with closing(table(tmp_path, "ciao")) as top:
        top.lay("rock-green#1")
        at_phone(top, "Ben", LISTEN)
        top.lay("joker-red#1", "paper-green-plus3#1", "paper-red#1", spot="hand")
        order = "You can play: the red paper, the red joker, the green +3 paper."
        assert order in told(top, "Ben", PLAYABLE)
        assert "I would" not in told(top, "Ben", PLAYABLE)
        for hints in (Hints.OFFERED, Hints.CAREFUL):
            top.table.context.settings.set(HINTS, hints.value)
            assert f"{order} I would play: the red paper." in told(top, "Ben", PLAYABLE)


def test_nothing_is_recommended_among_cards_that_are_equally_good(top: Tabletop) -> None:
    top.table.context.settings.set(HINTS, Hints.OFFERED.value)
    at_phone(top, "Ann", LISTEN)
    hold(top, "weight-7#1", "weight-7#2")
    assert "I would" not in told(top, "Ann", PLAYABLE)
    hold(top, "weight-8#1")
    assert "You can play: the 7, the 7, the 8. I would play: the 7." in told(top, "Ann", PLAYABLE)


def test_a_game_that_counts_no_hands_asks_for_no_more_pieces(tmp_path: Path) -> None:
    with closing(table(tmp_path, "cramel")) as top:
        at_phone(top, "Ann", LISTEN)
        hold(top, "gol#1")
        assert told(top, "Ann", PLAYABLE) == "You can play: Gol."


def test_a_card_that_would_lose_is_named_with_the_warning(top: Tabletop) -> None:
    for kind in ["weight-10"] * 4 + ["weight-1"] * 2:
        top.tap(kind)
    at_phone(top, "Ann", LISTEN)
    hold(top, "weight-9#1", "weight-8#1")
    text = told(top, "Ann", PLAYABLE)
    assert text.startswith("You can play: the 8. The 9: would break the camel's back.")
    assert hold(top, "weight-9#1") == "The 9. You can play it. The 9: would break the camel's back."


def test_a_card_that_would_lose_is_not_recommended(top: Tabletop) -> None:
    top.table.context.settings.set(HINTS, Hints.OFFERED.value)
    top.play(*["weight-10"] * 4, *["weight-3"] * 2)
    at_phone(top, "Ann", LISTEN)
    hold(top, "weight-9#3", "weight-6#1")
    text = told(top, "Ann", PLAYABLE)
    assert text.startswith("You can play: the 6, the 9. The 6, the 9: would break the camel's")
    assert "I would" not in text


def test_a_card_that_would_cost_cards_is_not_playable(tmp_path: Path) -> None:
    with closing(table(tmp_path, "ciao")) as top:
        top.lay("rock-green#1")
        at_phone(top, "Ben", LISTEN)
        top.lay("paper-green#1", "scissors-green#1", "obstacle#1", spot="hand")
        text = told(top, "Ben", PLAYABLE)
        assert text.startswith("You can play: the green paper.")
        assert "The green scissors can't beat green rock." in text
        assert ". An obstacle can never be played." in text, "it is said to Ben himself"


def test_after_a_draw_only_a_card_shown_since_is_playable(tmp_path: Path) -> None:
    with closing(table(tmp_path, "ciao")) as top:
        top.lay("rock-green#1")
        at_phone(top, "Ben", LISTEN)
        top.lay("paper-green#1", spot="hand")
        top.press("action")
        top.lay("paper-green#2", spot="hand")
        assert line(top, "Ben").text == "The green paper. You can play it."
        top.lay("paper-green#1", spot="hand")
        assert "You can play it" not in line(top, "Ben").text


def test_a_question_to_the_player_comes_before_cards(top: Tabletop) -> None:
    at_phone(top, "Ann", LISTEN)
    hold(top, "weight-7#1")
    top.tap("lamp")
    assert told(top, "Ann", PLAYABLE).startswith("Your turn. Choose the Lamp's weight, 1 to 10.")


# --- what is known of a hand ----------------------------------------------------------------------


def known(top: Tabletop, player: str = "Ann") -> int:
    """Return how many cards of *player*'s hand are known."""
    mode = top.table._mode
    assert isinstance(mode, Playing)
    return len(top.table.private.known_hand(mode, player))


def test_a_played_card_leaves_the_hand_and_an_undo_brings_it_back(top: Tabletop) -> None:
    at_phone(top, "Ann", LISTEN)
    hold(top, "weight-7#1", "weight-8#1")
    top.lay("weight-7#1")
    assert known(top) == 1
    top.press("back")
    assert known(top) == 2
    top.lay("weight-7#1")
    assert known(top) == 1, "when it is played again"


def test_a_new_round_and_a_new_game_begin_with_unknown_hands(top: Tabletop) -> None:
    at_phone(top, "Ann", LISTEN)
    hold(top, "weight-7#1")
    for kind in ["weight-10"] * 4 + ["weight-9", "weight-2"]:
        top.tap(kind)
    while top.view.phase == "scoring":
        top.press("action")
    assert top.view.phase == "round-over"
    assert known(top) == 0
    top.press()
    at_phone(top, "Ann", PLAYABLE)
    hold(top, "weight-7#1", spot="hand")
    assert known(top) == 1
    top.receive(PhoneAct(None, top.journal.moment, PhoneCommand.END_GAME))
    top.start()
    assert known(top) == 0


def test_hands_that_were_swapped_are_unknown_again_also_by_an_undo(tmp_path: Path) -> None:
    with closing(table(tmp_path, "ciao")) as top:
        for player in ("Ann", "Ben", "Cem"):
            at_phone(top, player, LISTEN)
        top.lay("rock-green#1", spot="hand")
        assert known(top) == 1
        top.lay("rock-green-swap#1")
        assert known(top) == 1, "with whom is not chosen yet"
        top.press()  # with Ben
        assert known(top) == 0
        top.lay("rock-green#1", spot="hand")
        assert known(top) == 1
        top.press("back")
        assert known(top) == 0


def test_more_cards_than_the_hand_has_are_not_believed(top: Tabletop) -> None:
    at_phone(top, "Ann", LISTEN)
    hold(top, "weight-1#1", "weight-2#1", "weight-3#1", "weight-4#1")
    assert known(top) == 4
    hold(top, "weight-5#1")
    assert known(top) == 0
    hold(top, "weight-5#1")
    assert known(top) == 1, "the others were forgotten"


def test_the_hand_of_a_player_who_gets_a_card_is_unknown_again(tmp_path: Path) -> None:
    with closing(table(tmp_path, "ciao")) as top:
        for player in ("Ann", "Ben"):
            at_phone(top, player, LISTEN)
        top.lay("rock-green#1", spot="hand")
        top.lay("paper-green#1", spot="seat-2")
        assert (known(top, "Ann"), known(top, "Ben")) == (1, 1)
        top.lay("rock-green-give#1")
        top.press()  # to Ben
        assert (known(top, "Ann"), known(top, "Ben")) == (0, 0)


def test_a_line_ends_with_the_next_act_another_language_and_another_game(top: Tabletop) -> None:
    told(top, "Ann", PLAYABLE)
    top.tap("weight-7")
    assert last_line(top) is None, "that was before the 7"
    told(top, "Ann", OVERVIEW)
    assert last_line(top) is not None
    (feedback,) = top.receive(PhoneAct(None, 0, SettingChosen("language", "de")))
    assert feedback.refused == ""
    assert last_line(top) is None, "that was English"
    told(top, "Ann", OVERVIEW)
    top.receive(PhoneAct(None, top.journal.moment, PhoneCommand.END_GAME))
    top.start()
    assert last_line(top) is None, "that was another game"


def test_a_phone_that_knows_the_hand_speaks_of_no_reader(tmp_path: Path) -> None:
    with closing(table(tmp_path, spots=frozenset({"play"}))) as top:
        top.table.private.dealt_hands = {Seat(0): (Piece("weight-7"),)}
        at_phone(top, "Ann", LISTEN)
        assert line(top).text == "You can ask about the game."


def test_dealt_hands_are_known_without_a_reader(top: Tabletop) -> None:
    top.table.private.dealt_hands = {Seat(0): (Piece("weight-7"), Piece("straw"))}
    assert told(top, "Ann", PLAYABLE).startswith("You can play: the 7. The Straw: The camel")


# --- where are we? --------------------------------------------------------------------------------


def test_the_overview_has_the_number_the_turn_and_everybodys_cards(top: Tabletop) -> None:
    top.tap("weight-7")
    assert told(top, "Ann", OVERVIEW) == "7. Ben to play. Hand 4. Hands after you 4, 4."
    assert told(top, "Ben", OVERVIEW) == "7. Your turn. Hand 4. Hands after you 4, 4."


def overview(seats: int, seat: int, view: View) -> str:
    """Return the overview of the player at *seat* in a game of Straw that has *view*."""
    with TemporaryDirectory() as folder, closing(Tabletop(Path(folder))) as top:
        setup = next(each.setup for each in moments("straw") if each.setup.seats == seats)
        start = GameStart("straw", LONGEST[:seats], setup.dealer, setup.options, setup.deck)
        playing = Playing.begin(top.table.context, start)
        words = PrivateWords(playing, Seat(seat))
        words._view = view
        return words.overview()


@pytest.mark.parametrize(
    ("direction", "others", "hands"),
    [
        (Direction.CLOCKWISE, "24, 25, 26, 21, 22", "4, 5, 6, 1, 2"),
        (Direction.COUNTER_CLOCKWISE, "22, 21, 26, 25, 24", "2, 1, 6, 5, 4"),
    ],
)
def test_an_overview_begins_with_the_own_numbers_then_those_of_the_next_players(
    direction: Direction, others: str, hands: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = View(
        headline="50",
        caption=message("caption"),
        phase="play",
        hint=message("hint"),
        scores=tuple(range(21, 27)),
        turn=Seat(2),
        direction=direction,
        counts={hand(Seat(n)): 1 + n for n in range(6)},
    )
    own = "50. Your turn. You 23. Hand 3."
    told = overview(6, 2, view)
    assert told.startswith(f"{own} After you {others[:2]}"), "the nearest others"
    assert len(told) < len(f"{own} After you {others}."), "there is no time for all"
    monkeypatch.setattr(private_lines, "MOST_S", 100.0)
    told = overview(6, 2, view)
    assert told == f"{own} After you {others}. Hands after you {hands}."
    monkeypatch.setattr(private_lines, "MOST_S", 0.0)
    assert overview(6, 2, view) == own.removeprefix("50. ")


def overviews(game: str, language: str, folder: Path) -> set[str]:
    """Return overviews of random games by players with the longest names."""
    with closing(Tabletop(folder, game=game)) as top:
        top.table.context.settings.set(LANGUAGE, language)
        found = set()
        for moment in moments(game):
            setup = moment.setup
            names = (*LONGEST, *"GH")[: setup.seats]
            start = GameStart(game, names, setup.dealer, setup.options, setup.deck)
            playing = Playing(top.table.context, games()[game], start, moment.state)
            found |= {PrivateWords(playing, Seat(n)).overview() for n in range(len(names))}
        return found


def longest(texts: set[str]) -> list[str]:
    return sorted(texts, key=private_lines._seconds)[-3:]


def seconds(text: str, language: str) -> float:
    engine = espeak()
    assert engine is not None
    sound = Synthesis(engine).sound(text, language)
    assert sound is not None
    return sound.seconds


CASES = [(language, game) for language in languages() for game in games()]


@pytest.mark.skipif(not shutil.which("espeak-ng"), reason="espeak-ng is not installed")
@pytest.mark.parametrize(("language", "game"), long_unless(("de", "ciao").__eq__, CASES))
def test_an_overview_takes_at_most_six_seconds(language: str, game: str, tmp_path: Path) -> None:
    took = {text: seconds(text, language) for text in longest(overviews(game, language, tmp_path))}
    assert {text: s for text, s in took.items() if s > LONGEST_S} == {}


@pytest.mark.skipif(not shutil.which("espeak-ng"), reason="espeak-ng is not installed")
def test_an_overview_leaves_something_out_to_be_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(private_lines, "MOST_S", 100.0)
    whole = longest(overviews("ciao", "de", tmp_path))[-1]
    assert seconds(whole, "de") > LONGEST_S


def test_a_claim_is_asked_about_if_a_card_that_was_shown_can_be_played(top: Tabletop) -> None:
    at_phone(top, "Ann", LISTEN)
    asked = top.table.asks_of("Ann")
    assert asked is not None
    assert [each.sure for each in asked.answers] == [""], "no card was shown"
    hold(top, "weight-5#1")
    asked = top.table.asks_of("Ann")
    assert asked is not None
    assert [each.sure for each in asked.answers] == [
        'You can still play the 5. Press "can\'t play" anyway?'
    ]
