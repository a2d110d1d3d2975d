"""The inbox: requests of other programs, and the button that answers a question."""

from firmware.outlet.stream import JoinQuestion
from firmware.runtime.inbox import ASKED_S, MOST_WAITING, Inbox
from firmware.table.events import CodeRequested, JoinRequested, PhoneLetIn, PhoneRequested
from hardware.ports import Pressed, Turned

CODE = CodeRequested("123456")
OK, BACK = Pressed("ok"), Pressed("back")


class Asker:
    """A program that asks, and remembers the answers."""

    def __init__(self) -> None:
        self.heard: list[tuple[int, bool]] = []
        self.why = ""

    def __call__(self, number: int, is_yes: bool, text: str = "") -> None:
        self.heard.append((number, is_yes))
        self.why = text


def question(number: int) -> JoinQuestion:
    return JoinQuestion(number, JoinRequested(f"192.0.2.{number}"))


def test_requests_are_taken_once_and_in_order() -> None:
    inbox, asker = Inbox(), Asker()
    inbox.put(CODE, asker)
    inbox.put(question(1), asker)
    assert inbox.take(0.0) == [CODE, JoinRequested("192.0.2.1")]
    assert inbox.take(0.0) == ()


def test_a_full_inbox_drops_requests_and_answers_questions_with_no() -> None:
    inbox, asker = Inbox(), Asker()
    for _ in range(MOST_WAITING):
        inbox.put(CODE, asker)
    inbox.put(CODE, asker)
    assert asker.heard == []
    inbox.put(question(1), asker)
    assert asker.heard == [(1, False)]
    assert len(inbox.take(0.0)) == MOST_WAITING


def test_without_a_question_every_press_is_the_tables() -> None:
    presses = (OK, BACK)
    assert Inbox().unanswering(presses) is presses


def test_the_first_press_answers_and_the_next_one_is_the_tables() -> None:
    inbox, asker = Inbox(), Asker()
    inbox.put(question(4), asker)
    inbox.take(0.0)
    assert inbox.unanswering((Turned(1), OK, OK)) == (Turned(1), Turned(0), OK)
    assert asker.heard == [(4, True)]


def test_any_other_button_refuses() -> None:
    inbox, asker = Inbox(), Asker()
    inbox.put(question(4), asker)
    inbox.take(0.0)
    assert inbox.unanswering((BACK,)) == (Turned(0),)
    assert asker.heard == [(4, False)]
    assert asker.why == "refused"
    inbox.put(question(5), asker)
    inbox.take(0.0)
    inbox.take(ASKED_S)
    assert (asker.heard[-1], asker.why) == ((5, False), ""), "nobody has refused it"


def test_a_question_that_nobody_answers_is_refused_in_time() -> None:
    inbox, asker = Inbox(), Asker()
    inbox.put(question(4), asker)
    inbox.take(10.0)
    inbox.take(10.0 + ASKED_S - 0.1)
    assert asker.heard == []
    inbox.take(10.0 + ASKED_S)
    assert asker.heard == [(4, False)]
    assert inbox.unanswering((OK,)) == (OK,)


def test_a_newer_question_replaces_an_older_one() -> None:
    inbox, asker = Inbox(), Asker()
    inbox.put(question(1), asker)
    inbox.put(question(2), asker)
    inbox.take(0.0)
    inbox.unanswering((OK,))
    assert asker.heard == [(1, False), (2, True)]


def test_an_answer_that_fails_stops_no_table() -> None:
    def broken(_number: int, _is_yes: bool, _text: str) -> None:
        raise OSError

    inbox = Inbox()
    inbox.put(question(1), broken)
    inbox.take(0.0)
    assert inbox.unanswering((OK,)) == (Turned(0),)


def test_a_turn_of_the_knob_neither_answers_nor_hides_the_question_about_a_phone() -> None:
    inbox, asker = Inbox(), Asker()
    inbox.put(JoinQuestion(6, PhoneRequested("42", "Ben")), asker)
    inbox.take(0.0)
    assert inbox.unanswering((Turned(1),)) == ()
    assert asker.heard == []
    assert inbox.unanswering((OK, Turned(1))) == (PhoneLetIn("Ben"), Turned(1))
    assert asker.heard == [(6, True)]
    inbox.put(JoinQuestion(7, PhoneRequested("42", "Ben")), asker)
    inbox.take(0.0)
    assert inbox.unanswering((BACK,)) == (Turned(0),), "nobody is in"
