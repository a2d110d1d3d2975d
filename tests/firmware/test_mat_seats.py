"""The mat as a player: its row of cards, what it asks for, and what nobody learns of its hand."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engines.common.contract import (
    Ask,
    Button,
    Choice,
    ChoiceAsk,
    Game,
    Input,
    Message,
    Number,
    NumberAsk,
    Press,
    PressAsk,
    Seat,
    SeatAsk,
    SeatChoice,
    Tap,
    Topic,
    View,
)
from engines.common.layouts import HANDS, hand
from engines.common.pieces import Piece
from engines.common.solo import SOLO
from firmware.boxes.games import games
from firmware.journal.codec import RowChange
from firmware.journal.journal import GameRecord, GameStart
from firmware.outlet.feed import Feed
from firmware.outlet.queue import Outlet
from firmware.show.screens import pages
from firmware.show.text import find_text
from firmware.table import mat_player
from firmware.table.events import MatDue, PhoneAct
from firmware.table.mat_player import MatKnowledge, ToPeople, choose, follow_advice
from firmware.table.mat_seats import MAT_NAME, asks_without, can_sit
from firmware.table.modes.playing import Playing
from firmware.table.table import MAT_THINKS_S
from firmware.voice.settings import STRENGTH, Strength
from sim.deal.mat_levels import scene_of
from sim.players.levels import choose as level_choice
from sim.rehearsal.export import entry_text
from sim.rehearsal.replay import Replay
from tests.firmware.tabletop import CONFIG, Tabletop

ANN, MAT, BEN = Seat(0), Seat(1), Seat(2)
HAND = ("weight-7#1", "weight-3#1", "reverse#1", "carpet-2#1")
OTHER_HAND = ("straw#1", "weight-10#1", "lamp#1", "copy#1")
CROSSINGS = ("forest-nesw#1", "grain-nesw#1", "lavender-nesw#1")
JOKERS = tuple(f"joker-{colour}#{n}" for colour in ("green", "yellow", "red") for n in (1, 2, 3))
CAN_WAIT_S = 3.0  # the longest time that the mat may think


def sitting(folder: Path, game: str = "straw", mats: tuple[Seat, ...] = (MAT,)) -> Tabletop:
    """Return a table at which Ann deals, and the mat plays in the seats *mats*."""
    top = Tabletop(folder, game=game)
    names = ("Ann", *(MAT_NAME if n == 1 else f"{MAT_NAME} {n}" for n in range(1, len(mats) + 1)))
    deck = top.table.context.box(game).in_play
    top.journal.begin(GameStart(game, names, 0, {}, deck, mats=mats))
    top.again()
    return top


@pytest.fixture
def top(tmp_path: Path) -> Iterator[Tabletop]:
    with closing(sitting(tmp_path)) as made:
        yield made


def deal(top: Tabletop, hand: tuple[str, ...] = HAND) -> None:
    for card in hand:
        top.lay(card)


def think(top: Tabletop) -> str:
    """Let the mat decide; return what it asks for."""
    top.receive(MatDue())
    return top.view.hint


def playing(top: Tabletop) -> Playing:
    mode = top.table._mode
    assert isinstance(mode, Playing)
    return mode


def record_of(top: Tabletop) -> GameRecord:
    record = top.journal.open_game()
    assert record is not None
    return record


def row(top: Tabletop, seat: Seat = MAT) -> list[str]:
    return [str(piece) for piece in playing(top).mat.seats.row(seat)]


def refused(top: Tabletop) -> str:
    notice = top.answers[-1].notice
    return "" if notice is None else notice.code


# --- the row --------------------------------------------------------------------------------------


def test_its_cards_are_laid_unseen_one_by_one_and_nothing_is_played(top: Tabletop) -> None:
    assert "my 4 cards" in top.view.hint
    deal(top)
    assert row(top) == [*HAND]
    assert (top.view.headline, top.view.turn) == ("0", MAT)


def test_several_cards_at_once_and_a_card_twice_are_refused(top: Tabletop) -> None:
    top.lay(*HAND[:2])
    assert (refused(top), row(top)) == ("mat.one-by-one", [])
    assert "my 4 cards" in top.answers[-1].say[-1].text
    top.lay(HAND[0])
    top.lay(HAND[0])
    assert (refused(top), row(top)) == ("mat.laid-already", [HAND[0]])
    assert "3 more cards" in top.answers[-1].say[-1].text


def test_the_row_survives_a_power_cut_and_back_takes_one_card_out(top: Tabletop) -> None:
    deal(top)
    top.again()
    assert row(top) == [*HAND]
    top.press("back")
    assert row(top) == [*HAND[:3]]
    top.again()
    assert row(top) == [*HAND[:3]]
    assert "draw a card for me" in top.view.hint or "1 more card" in top.view.hint


def test_a_row_that_was_laid_wrongly_is_laid_again_from_the_menu(top: Tabletop) -> None:
    deal(top)
    top.press("ok")
    assert top.view.choices is not None
    top.turn(len(top.view.choices.values))
    assert top.view.choices.values[top.view.choices.cursor] == "mat-row-2"
    top.press("ok")
    assert row(top) == []
    deal(top, HAND[::-1])
    assert row(top) == [*HAND[::-1]]


def test_back_puts_a_row_back_that_was_to_be_laid_again(top: Tabletop) -> None:
    deal(top)
    think(top)
    top.lay(HAND[1])
    top.lay("weight-5#1")
    inputs, laid = record_of(top).inputs, row(top)
    top.press("ok")
    top.choose("mat-row-2")
    top.lay(HAND[0])
    for left in ([], laid):
        top.press("back")
        assert row(top) == left
    assert record_of(top).inputs == inputs, "the play is not undone"
    top.press("back")
    assert record_of(top).inputs == inputs, "the card that was drawn last"


def test_undoing_its_play_puts_the_card_back_at_its_place(top: Tabletop) -> None:
    deal(top)
    think(top)
    decided = playing(top).decided
    assert isinstance(decided, Tap)
    top.lay(str(decided.piece))
    assert str(decided.piece) not in row(top)
    top.lay("weight-5#1")
    top.press("back")  # the drawn card
    top.press("back")  # the play
    assert "return" not in top.said, "the drawn card is out of the row already"
    assert top.said.startswith(
        "Correction: 0. Mat: put the 3 back, face down, as number 2 from the left."
    )
    assert row(top) == [*HAND]
    assert top.view.turn == MAT


def test_a_used_card_is_refused_when_a_card_is_drawn_for_the_mat(top: Tabletop) -> None:
    deal(top)
    think(top)
    decided = playing(top).decided
    assert isinstance(decided, Tap)
    top.lay(str(decided.piece))
    top.lay(str(decided.piece))
    assert refused(top) == "already-played"


def test_cards_taken_out_of_a_row_are_back_after_an_undo(top: Tabletop) -> None:
    deal(top)
    card = Piece.parse(HAND[1])
    top.journal.append(Tap(Piece.parse("weight-1#1")))
    top.journal.change_rows([RowChange(MAT, card, is_laid=False)])
    record = top.journal.open_game()
    assert record is not None
    assert [each.piece for each in record.row if each.until is None] != [
        each.piece for each in record.row
    ]
    record = top.journal.undo()
    assert [str(each.piece) for each in record.row if each.until is None] == [*HAND]


# --- its turn -------------------------------------------------------------------------------------


def test_it_names_a_card_by_its_place_and_checks_the_card_that_comes(top: Tabletop) -> None:
    deal(top)
    assert "thinking" in top.view.hint
    assert "my card 2 from the left" in think(top)  # 3: it keeps the 7
    top.lay(HAND[0])
    assert refused(top) == "mat.wrong-card"
    assert "number 1 from the left" in top.answers[-1].say[0].text
    assert "my card 2 from the left" in top.answers[-1].say[1].text
    top.lay("weight-9#1")
    assert refused(top) == "mat.not-mine"
    assert top.view.notice is not None
    assert top.view.notice.happened == "This does not belong to Mat."
    assert "my card 2 from the left" in top.answers[-1].say[-1].text
    top.lay(HAND[1])
    assert (top.view.headline, top.view.turn) == ("3", MAT), "its turn is not over"
    assert "draw a card for me" in top.view.hint
    request, game = pages(top.view, (128, 64))
    assert find_text(request, "end of my row.")
    assert all(find_text(game, text) for text in ("Mat", "on the camel")), "its turn, and the load"
    assert not any(line.topic is Topic.TURN for line in top.answers[-1].say), "Ann waits for it"
    top.lay("weight-5#2")
    assert top.answers[-1].say[0].text == "Ann to play."


def test_it_counts_from_the_nearer_end_of_its_row(top: Tabletop) -> None:
    deal(top, HAND[::-1])
    assert "my card 2 from the right" in think(top)


def test_it_says_the_symbol_that_it_chooses_for_its_joker(tmp_path: Path) -> None:
    with closing(sitting(tmp_path, "ciao")) as top:
        deal(top, JOKERS[:7])
        think(top)
        top.lay(JOKERS[0])
        think(top)
        assert top.said.startswith(("Mat: Rock. ", "Mat: Paper. ", "Mat: Scissors. "))
        assert top.view.notice is not None
        assert top.said.startswith(top.view.notice.happened)


def test_it_says_which_card_it_gives_and_ok_says_that_it_was_given(tmp_path: Path) -> None:
    with closing(sitting(tmp_path, "ciao")) as top:
        deck = map(str, sorted(playing(top).start.deck.pieces()))
        deal(top, tuple(card for card in deck if "give" in card)[:7])
        think(top)
        played = playing(top).decided
        assert isinstance(played, Tap)
        top.lay(str(played.piece))
        assert top.view.ok == ""
        assert "from the left to Ann, face down. Then press OK." in think(top)
        given = playing(top).decided
        assert isinstance(given, Tap)
        assert (top.view.ok, top.view.help, top.view.turn) == ("given", "", MAT)
        top.lay("rock-green#1")
        assert refused(top) == "mat.gives"
        assert "Then press OK." in top.said
        top.press("ok")
        assert str(given.piece) not in row(top)
        assert len(row(top)) == 5


def test_it_says_thank_you_itself(tmp_path: Path) -> None:
    with closing(sitting(tmp_path, "ciao")) as top:
        deal(top, tuple(f"paper-green#{n}" for n in range(1, 8)))
        think(top)
        top.lay("paper-green#1")
        top.lay("scissors-red-give#1")
        assert "Mat: lay my new card" in top.view.hint
        top.lay("scissors-red-give#1")
        assert refused(top) == "already-played", "it lies on the pile"
        assert "{" not in top.said
        assert "Mat: lay my new card" in top.said, "it asks once more"
        top.lay("rock-green#1")
        assert top.view.choices is None, "nobody else is asked"
        inputs = record_of(top).inputs
        think(top)
        assert record_of(top).inputs == (*inputs, Choice("thanked"))


def test_in_camargue_it_says_where_its_tile_goes_before_it_asks_for_another(
    tmp_path: Path,
) -> None:
    with closing(sitting(tmp_path, "camargue")) as top:
        deal(top, CROSSINGS)
        think(top)
        played = playing(top).decided
        assert isinstance(played, Tap)
        top.lay(str(played.piece))
        assert think(top).startswith("Mat: my tile goes ")
        assert top.said.endswith(". Then draw a new one for me, face down.")


def test_people_can_neither_press_nor_answer_for_it(top: Tabletop) -> None:
    deal(top)
    think(top)
    top.press("action")
    assert refused(top) == "mat.answers"
    assert top.said.startswith("That is up to Mat.")
    assert top.view.notice is not None
    assert "my card" in top.view.notice.do, "it says what it waits for"
    asked = top.table.asks_of(MAT_NAME)
    assert asked is not None
    assert asked.answers == ()
    (feedback,) = top.receive(PhoneAct(MAT_NAME, top.journal.moment, Press(Button.ACTION)))
    assert feedback.refused


def test_a_card_of_somebody_else_while_it_thinks_does_not_tell_its_choice(top: Tabletop) -> None:
    deal(top)
    top.lay("weight-9#1")
    assert refused(top) == "mat.thinking"
    assert top.said == "It is Mat's turn. Wait a moment."
    assert "my card 2 from the left" in think(top)


def test_its_own_card_that_it_has_not_asked_for_is_not_named(top: Tabletop) -> None:
    deal(top)  # it wants to play the second
    top.lay(HAND[0])
    assert refused(top) == "mat.own-card"
    assert top.said.startswith("This belongs to Mat. Put it back as number 1 from the left.")


def test_a_card_that_lies_on_the_table_is_refused_as_such(top: Tabletop) -> None:
    deal(top)
    think(top)
    top.lay(HAND[1])
    top.lay("weight-5#2")
    top.lay("weight-2#1")
    think(top)
    top.lay("weight-2#1")
    assert refused(top) == "already-played"
    assert "on the camel" in top.said
    assert top.said.endswith(top.view.hint), "it asks once more"


def break_camel(top: Tabletop) -> None:
    """Play until Ann breaks the camel's back, so that the mat's hand counts for the mat."""
    deal(top, tuple(f"weight-1#{n}" for n in range(1, 5)))
    heavy = [*(f"weight-10#{n}" for n in range(1, 5)), "weight-9#1", "weight-9#2"]
    for mine, drawn in zip(heavy, ("2#1", "2#2", "2#3", "2#4", "3#1", "3#2"), strict=True):
        think(top)
        decided = playing(top).decided
        assert isinstance(decided, Tap)
        top.lay(str(decided.piece))
        top.lay(f"weight-{drawn}")
        top.lay(mine)
        if top.view.phase == "scoring":
            return


def test_the_count_of_its_hand_ends_early_only_after_a_question(tmp_path: Path) -> None:
    with closing(sitting(tmp_path)) as top:
        break_camel(top)
        asks = top.view.hint
        top.press("action")
        assert top.said.startswith("Mat has 4 more cards to count. Count without them?")
        top.press("ok")  # no
        assert (top.said, top.view.phase) == (asks, "scoring")
        first, *_ = row(top)
        top.press("action")
        top.lay(first)
        assert top.view.hint == "Mat: turn over my 3 cards on the reader, one by one."
        top.press("action")
        top.turn(1)
        top.press("ok")  # yes
        assert "3 cards are missing from Mat's hand" in top.said


def test_people_turn_over_its_hand_when_that_is_counted(tmp_path: Path) -> None:
    with closing(sitting(tmp_path)) as top:
        break_camel(top)
        assert top.view.hint == "Mat: turn over my 4 cards on the reader, one by one."
        assert top.said.endswith(top.view.hint)
        top.lay("weight-9#3")
        assert refused(top) == "mat.not-counted"
        first, *_ = row(top)
        top.lay(first)
        assert top.view.hint == "Mat: turn over my 3 cards on the reader, one by one."
        assert "Mat:" not in top.said
        top.lay(first)
        assert refused(top) == "already-played"


def test_nobody_else_can_play_its_card(top: Tabletop) -> None:
    deal(top)
    think(top)
    top.lay(HAND[1])
    top.lay("weight-5#2")
    top.lay(HAND[0])
    assert refused(top) == "mat.own-card"
    assert top.view.turn == ANN


def test_it_chooses_the_weight_of_its_lamp_and_one_undo_takes_back_both(top: Tabletop) -> None:
    deal(top, ("lamp#1", "lamp#2", "lamp#3", "lamp#4"))
    think(top)
    top.lay("lamp#1")
    assert top.view.choices is None, "the list is not for people"
    think(top)
    assert top.view.headline in map(str, range(1, 11))
    top.press("back")
    assert (top.view.headline, row(top)) == ("0", ["lamp#1", "lamp#2", "lamp#3", "lamp#4"])


def test_it_thinks_long_enough_to_follow_and_at_most_three_seconds(top: Tabletop) -> None:
    deal(top)
    began_s = top.now_s
    assert top.table.poll_waits(began_s) == ()
    assert top.table.poll_waits(began_s + 1.0) == ()
    assert MAT_THINKS_S <= CAN_WAIT_S
    assert top.table.poll_waits(began_s + MAT_THINKS_S) == (MatDue(),)
    think(top)
    assert top.table.poll_waits(began_s + 10) == ()


def test_no_phone_can_be_the_mats_or_a_goals(top: Tabletop) -> None:
    assert (top.table.robot_seats, top.table.goal) == ((MAT,), None)
    deck = top.table.context.box("straw").in_play
    top.journal.begin(GameStart("straw", ("Ann", "Goal"), 0, {SOLO: "40"}, deck))
    assert (top.table.robot_seats, top.table.goal) == ((), Seat(1))


def test_two_mats_have_two_rows(tmp_path: Path) -> None:
    with closing(sitting(tmp_path, mats=(Seat(1), Seat(2)))) as top:
        deal(top, HAND)
        assert top.view.hint.startswith("Mat 2: my 4 cards")
        deal(top, OTHER_HAND)
        assert (row(top), row(top, Seat(2))) == ([*HAND], [*OTHER_HAND])


# --- what nobody learns ---------------------------------------------------------------------------


def test_the_mat_is_no_answer_to_whose_card_it_was() -> None:
    ann, mat, cem = Seat(0), Seat(1), Seat(2)
    action, other = PressAsk(Button.ACTION, "nobody"), SeatAsk((ann, mat))
    owner = SeatAsk((ann, mat, cem), asks_owner=True)
    alone = SeatAsk((mat,), asks_owner=True)
    assert asks_without((), (owner, action)) == (owner, action)
    people = SeatAsk((ann, cem), asks_owner=True)
    assert asks_without((mat,), (owner, action, other, alone)) == (people, action, other, alone)


def test_nothing_that_leaves_the_table_depends_on_its_hand(tmp_path: Path) -> None:
    told: list[list[Any]] = []
    for number, cards in enumerate((HAND, OTHER_HAND)):
        folder = tmp_path / str(number)
        folder.mkdir()
        with closing(sitting(folder)) as top:
            feed = Feed(Outlet())
            feed.begin(top.journal.open_game(), top.view)
            top.journal.take_new_entries()
            seen: list[Any] = []
            for card in cards:
                answers = top.lay(card)
                feed.put_entries(top.journal.take_new_entries(), [a.notice for a in answers])
                feed.put_changes(top.view)
                feed.keep_state(top.view, "en")
                top.table.private.hand_in_words("straw", MAT)
                seen += [answers, top.view, feed.outlet.state, top.table.asks_of("Ann")]
                seen += [top.table.asks_of(MAT_NAME), top.table.advice()]
            told.append(seen)
    assert told[0] == told[1]


def knowledge(top: Tabletop, strength: Strength = Strength.GOOD, **known: Any) -> MatKnowledge:
    """Return what the mat knows at *top*; it holds ``HAND``."""
    record = top.journal.open_game()
    assert record is not None
    pieces = tuple(map(Piece.parse, HAND))
    game, state = playing(top).game, playing(top).state
    return MatKnowledge(game, state, MAT, pieces, replace(record, row=()), strength, **known)


@pytest.mark.parametrize("strength", Strength)
def test_its_choice_depends_on_nothing_but_its_row_and_what_all_know(
    tmp_path: Path, strength: Strength
) -> None:
    with closing(sitting(tmp_path)) as top:
        deal(top)
        chosen = {choose(knowledge(top, strength)) for _ in range(3)}
        assert len(chosen) == 1
        gift = choose(knowledge(top, strength, is_giver=True))
        assert isinstance(gift, Tap)
        assert gift.piece in map(Piece.parse, HAND)


def test_the_choice_of_two_mats_does_not_depend_on_the_row_of_the_other(tmp_path: Path) -> None:
    chosen = []
    for number, other in enumerate((OTHER_HAND, OTHER_HAND[::-1], ("weight-9#1", *OTHER_HAND[:3]))):
        folder = tmp_path / str(number)
        folder.mkdir()
        with closing(sitting(folder, mats=(Seat(1), Seat(2)))) as top:
            top.table.context.settings.set(STRENGTH, Strength.EXPERT.value)
            deal(top, HAND)
            deal(top, other)
            think(top)
            chosen.append(playing(top).decided)
    assert chosen[0] is not None
    assert chosen == [chosen[0]] * 3


# --- its answers ---------------------------------------------------------------------------------


class Asking:
    """A game that asks for *ask*. Ben has the fewest cards after the mat; 4 and 5 are unwise."""

    def __init__(self, ask: Ask) -> None:
        self.ask = ask

    def asks(self, state: object) -> tuple[Ask, ...]:
        return (self.ask,)

    def view(self, state: object) -> View:
        counts = {hand(ANN): 5, hand(MAT): 1, hand(BEN): 3}
        warnings = dict.fromkeys(("4", "5"), Message("w"))
        return View("", Message("c"), "play", Message("h"), (), counts=counts, warnings=warnings)


@pytest.mark.parametrize(
    ("ask", "answer"),
    [
        (NumberAsk(1, 5, 1), Number(3)),
        (NumberAsk(4, 5, 4), Number(4)),
        (ChoiceAsk(("rock", "paper")), Choice("rock")),
        (ChoiceAsk(("rock", "paper"), "paper"), Choice("paper")),
        (SeatAsk((ANN, MAT, BEN)), SeatChoice(BEN)),
        (SeatAsk((MAT,)), SeatChoice(MAT)),
        (PressAsk(Button.OK, "pass"), Press(Button.OK)),
        (PressAsk(Button.OK, "pass", is_vain=True), ToPeople()),
    ],
)
def test_without_a_player_of_strength_it_gives_the_best_answer(
    top: Tabletop, ask: Ask, answer: Input | ToPeople
) -> None:
    assert follow_advice(replace(knowledge(top), game=Asking(ask))) == answer  # type: ignore[arg-type]


# --- its strength ---------------------------------------------------------------------------------


def test_the_level_in_the_settings_plays_for_it(top: Tabletop) -> None:
    deal(top)
    asked = {}
    for strength in Strength:
        top.table.context.settings.set(STRENGTH, strength.value)
        top.again()
        think(top)
        asked[strength] = playing(top).decided
        scene = scene_of(knowledge(top, strength))
        assert scene is not None
        act = level_choice("straw", scene, strength.value, f"1 0 {MAT}")
        assert act is not None
        assert isinstance(act.given, Tap)
        assert asked[strength] == Tap(act.given.piece)
    assert len({*asked.values()}) > 1


def test_the_strength_is_a_setting_in_the_list_and_is_kept(top: Tabletop) -> None:
    top.card("settings")
    choose_value(top, STRENGTH)
    choose_value(top, "expert")
    assert top.table.settings.strength is Strength.EXPERT
    top.again()
    assert top.table.settings.strength is Strength.EXPERT


def test_without_players_there_is_no_such_setting_and_it_follows_advice(
    top: Tabletop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mat_player, "entry_points", lambda group: ())
    mat_player._offers.cache_clear()
    mat_player._player.cache_clear()
    try:
        deal(top)
        known = knowledge(top, Strength.CHILD)
        assert choose(known) == follow_advice(known)
        assert STRENGTH not in [each.name for each in top.table.asks_of_host().settings]
        top.card("settings")
        assert top.view.choices is not None
        assert STRENGTH not in top.view.choices.values
    finally:
        mat_player._offers.cache_clear()
        mat_player._player.cache_clear()


@pytest.mark.parametrize(
    "given",
    [Tap(Piece.parse("weight-9#9")), Tap(Piece.parse("copy#1")), Number(3), None, OSError],
)
def test_it_follows_advice_if_its_player_fails_or_breaks_the_rules(
    top: Tabletop, monkeypatch: pytest.MonkeyPatch, given: Any
) -> None:
    def plays(known: MatKnowledge) -> Any:
        if given is OSError:
            raise OSError("the player is broken")
        return given

    monkeypatch.setattr(mat_player, "_player", lambda: plays)
    deal(top)
    known = replace(knowledge(top), row=tuple(map(Piece.parse, OTHER_HAND)))
    assert choose(known) == follow_advice(known)


@pytest.mark.parametrize("game", ["straw", "ciao", "camargue"])
def test_the_scene_of_a_mat_has_its_row_and_no_piece_of_anybody_else(
    tmp_path: Path, game: str
) -> None:
    with closing(sitting(tmp_path, game)) as top:
        start = playing(top).start
        row = tuple(sorted(start.deck.pieces())[-3:])
        known = MatKnowledge(
            playing(top).game, playing(top).state, MAT, row, GameRecord(1, start), drawn=row[2:]
        )
        scene = scene_of(known)
        told = {str(piece) for piece in start.deck.pieces() if f"'{piece}'" in str(scene)}
        assert told - {*getattr(scene, "apart", ())} == {*map(str, row)}


@pytest.mark.parametrize("game", ["cramel", "riff-raff"])
def test_without_a_row_it_follows_advice(tmp_path: Path, game: str) -> None:
    with closing(sitting(tmp_path, game)) as top:
        start = playing(top).start
        record = GameRecord(1, start)
        known = MatKnowledge(playing(top).game, playing(top).state, MAT, (), record)
        assert scene_of(known) is None
        assert choose(known) == follow_advice(known)


# --- the games ------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", games().values(), ids=lambda game: str(game.name))
def test_it_can_play_each_game(game: Game[Any]) -> None:
    assert can_sit(game)


def test_it_does_not_sit_in_a_game_whose_layout_it_does_not_know(tmp_path: Path) -> None:
    class NoLayout:
        layout = ""

    assert games()["straw"].layout == HANDS
    assert not can_sit(NoLayout())  # type: ignore[arg-type]


def test_in_cramel_people_turn_any_tile_and_it_says_what_all_have_seen(tmp_path: Path) -> None:
    with closing(sitting(tmp_path, "cramel")) as top:
        assert "turn over any tile" in think(top)
        assert isinstance(playing(top).decided, ToPeople)
        top.lay("helena#1")
        assert "turn over any tile" in think(top)
        top.lay("bloom#1")  # ends the turn
        top.lay("helena#2")  # Ann's
        top.lay("bloom#2")
        think(top)
        top.lay("helena#3")
        assert "I want Helena" in think(top)


def test_in_cramel_it_wants_no_tile_that_is_won(tmp_path: Path) -> None:
    with closing(sitting(tmp_path, "cramel")) as top:
        for tile in ("jane#1", "jane#2"):
            think(top)
            top.lay(tile)
        think(top)
        assert (top.view.turn, top.view.notice) == (ANN, None), "the display shows that it is Ann's"
        assert "Mat takes 2 Janes" in top.said
        top.lay("bloom#1")
        think(top)
        top.lay("jane#3")
        assert think(top) == "Mat: turn over any tile for me, and lay it on the reader."


def test_in_riff_raff_it_names_its_card_when_the_others_are_open(tmp_path: Path) -> None:
    with closing(sitting(tmp_path, "riff-raff")) as top:
        top.lay("red-3#1")
        assert think(top) == "Mat: lay a card of my colour on the reader."
        top.lay("blue-4#1")
        top.lay("blue-9#1")
        assert refused(top) == "mat.later", "it plays last"
        top.lay("red-7#1")
        hint = think(top)
        decided = playing(top).decided
        assert isinstance(decided, Tap)
        assert decided.piece.kind.startswith("blue-")
        assert "I play" in hint
        top.lay("blue-1#1")
        assert refused(top) == "mat.wrong-open"
        top.lay("red-2#1")
        assert refused(top) == "mat.not-mine-open", "it has no row"
        top.press("ok")
        assert top.view.choices is not None
        assert not [value for value in top.view.choices.values if value.startswith("mat-row")]
        top.press("back")
        top.lay(str(decided.piece))
        assert top.view.phase != "reveal"


def test_in_riff_raff_people_load_for_it(tmp_path: Path) -> None:
    with closing(sitting(tmp_path, "riff-raff")) as top:
        top.lay("red-1#1")
        assert top.view.hint == "Mat: lay a card of my colour on the reader."
        assert top.said == f"Ann plays red. {top.view.hint}", "it is not asked like a person"
        assert top.table.poll_waits(top.now_s + 60) == (), "it has nothing to decide"
        top.lay("yellow-2#1")
        top.lay("red-10#1")
        think(top)
        decided = playing(top).decided
        assert isinstance(decided, Tap)
        top.lay(str(decided.piece))
        if top.view.turn == ANN:
            assert "load one of my pieces" not in top.said
            top.press("ok")
        assert top.view.hint == "Mat: load one of my pieces. OK when it holds."
        assert top.view.hint in top.said
        top.press("ok")
        assert "It holds. Mat has 15 pieces left." in top.said


def test_in_riff_raff_nobody_can_tell_which_of_its_good_cards_comes(tmp_path: Path) -> None:
    with closing(sitting(tmp_path, "riff-raff")) as top:
        top.lay("red-3#1")
        think(top)
        top.lay("blue-4#1")
        top.lay("red-7#1")
        record = record_of(top)
        cards = playing(top).mat.seats.row(MAT)
        chosen = {
            decided.piece
            for number in range(20)
            if isinstance(decided := choose(known_in(top, replace(record, number=number))), Tap)
        }
    assert len(chosen) > 3
    assert chosen <= {*cards}


def known_in(top: Tabletop, record: GameRecord) -> MatKnowledge:
    """Return what the mat knows, if the game is that of *record*."""
    mode = playing(top)
    return MatKnowledge(mode.game, mode.state, MAT, mode.mat.seats.row(MAT), record)


# --- setting up -----------------------------------------------------------------------------------


def choose_value(top: Tabletop, value: str) -> None:
    assert top.view.choices is not None
    top.turn(top.view.choices.values.index(value) - top.view.choices.cursor)
    top.press("ok")


def test_a_seat_becomes_the_mats_in_the_list_of_names(tmp_path: Path) -> None:
    with closing(Tabletop(tmp_path)) as top:
        top.lay("weight-7#1")
        for seat in ("name-1", "name-2"):
            choose_value(top, seat)
            choose_value(top, "mat")
        choose_value(top, "start")
        record = top.journal.open_game()
        assert record is not None
        assert record.start.names[:2] == ("Mat", "Mat 2")
        assert record.start.mats == (0, 1)


# --- the recorded game ----------------------------------------------------------------------------


def test_a_recorded_game_is_exported_with_people_in_its_seats(tmp_path: Path) -> None:
    with closing(sitting(tmp_path)) as top:
        deal(top, ("lamp#1", "lamp#2", "lamp#3", "lamp#4"))
        think(top)
        top.lay("lamp#1")
        think(top)
        top.lay("weight-5#1")
        top.lay("weight-7#1")
        record = top.journal.open_game()
        assert record is not None
        number = record.inputs[1]
        assert isinstance(number, Number)
        shown = [entry_text(entry, record.start.names) for entry in top.journal.entries()]
        assert "row" in shown
        assert not any("weight-5" in text for text in shown), "it is in the row"
    replay = Replay.of(tmp_path, record.number, CONFIG)
    assert replay.acts == ("tap lamp#1 @ seat-2", f"choose {number.value}", "tap weight-7#1")
    with replay.mat(CONFIG) as mat:
        assert mat.view.headline == str(number.value + 7)
