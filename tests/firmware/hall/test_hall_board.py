"""The board shows the games as the tables show them, and nothing that is hidden."""

import asyncio
import json
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession, web

from engines.common.contract import Seat
from engines.common.pieces import Piece
from firmware.archive.past import histories, replay
from firmware.boxes.games import game_names, games
from firmware.hall.board import HallBoard
from firmware.hall.board_server import BoardServer
from firmware.hall.journal_rows import JournalRows
from firmware.hall.messages import MOST_ENTRIES, BadHallMessage, EntryBatch, OutboxName, SentEntry
from firmware.hall.page import CODES, FILES, hall_file, hall_page
from firmware.hall.sqlite_store import SqliteStore
from firmware.hall.statuses import AWAY, TableStatus, status_of, status_text
from firmware.hall.table_fold import ShownGame, TableFold
from firmware.journal.codec import RowChange
from firmware.journal.journal import Journal
from firmware.runtime.controller import JOURNAL, words_for
from firmware.voice.words import languages
from tests.effort import long_unless
from tests.firmware.archive.kept import play, play_at_random, start_of
from tests.ports import free_port

WORDS = words_for("en")
NAME = OutboxName("window", "0123456789abcdef")


def fold_of(entries: list[SentEntry]) -> TableFold:
    fold = TableFold("window", games(), WORDS)
    for entry in entries:
        fold.take(entry)
    return fold


def shown_in(entries: list[SentEntry]) -> ShownGame:
    shown = fold_of(entries).game_to_show()
    assert shown is not None
    return shown


@pytest.mark.parametrize("game", long_unless(lambda game: game == "straw", game_names()))
def test_a_game_is_shown_as_the_rules_say(game: str, tmp_path: Path) -> None:
    play_at_random(tmp_path, game, seed=3, limit=60)
    entries = JournalRows(tmp_path).after(0, 1000)
    (history,) = histories(tmp_path)
    past = replay(history)
    shown = shown_in(entries)
    assert (shown.name, shown.title, shown.since) == (game, WORDS[game].plain("title"), past.at)
    assert tuple(p.name for p in shown.players) == past.people
    scores = tuple(p.score for p in shown.players)
    assert scores == past.view.scores[: len(scores)]
    winners = tuple(p.name for p in shown.players if p.place == 1)
    assert winners == past.winners
    active = [seat for seat, p in enumerate(shown.players) if p.is_active]
    assert active == ([] if past.view.turn is None or winners else [past.view.turn])


def test_an_undone_play_is_not_shown(tmp_path: Path) -> None:
    headlines = list[str]()
    for count in (7, 8):
        folder = tmp_path / str(count)
        folder.mkdir()
        play_at_random(folder, "straw", seed=3, limit=count)
        headlines.append(shown_in(JournalRows(folder).after(0, 100)).headline)
    with closing(Journal(folder / JOURNAL)) as journal:
        journal.undo()
    undone = JournalRows(folder).after(0, 100)
    assert undone[-1].kind == "undo"
    assert shown_in(undone).headline == headlines[0] != headlines[1]


def test_a_finished_game_has_places(tmp_path: Path) -> None:
    play(tmp_path)
    shown = shown_in(JournalRows(tmp_path).after(0, 1000))
    assert shown.ending == "over"
    assert sorted(player.place for player in shown.players) == [1, 2]
    assert not any(player.is_active for player in shown.players)


def test_cards_in_the_rows_of_the_mat_are_not_on_the_board(tmp_path: Path) -> None:
    """The journal has them, because the mat must know its own hand after a power cut."""

    def shown_with(*pieces: str) -> str:
        folder = tmp_path / "-".join(("with", *pieces))
        folder.mkdir()
        with closing(Journal(folder / JOURNAL)) as journal:
            journal.begin(start_of(("Ann", "Mat")))
            changes = [RowChange(Seat(1), Piece.parse(piece), True) for piece in pieces]
            journal.change_rows(changes)
        entries = JournalRows(folder).after(0, 100)
        assert sum(piece in entries[-1].body for piece in pieces) == 1
        return json.dumps(asdict(replace(shown_in(entries), since="", last="")))

    assert shown_with("weight-7#1") == shown_with("weight-2#1")


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("start", "[]"),
        ("start", '{"game":"straw"}'),
        ("start", '{"game":"chess","names":["Ann"],"dealer":0,"options":{},"deck":{}}'),
        ("input", '{"tap":"weight-99#1"}'),
        ("input", "nonsense"),
        ("undo", "{}"),
        ("other", "{}"),
    ],
)
def test_what_cannot_be_followed_hides_the_scores_and_harms_no_other_table(
    kind: str, body: str, tmp_path: Path
) -> None:
    play(tmp_path, acts=0)
    good = JournalRows(tmp_path).after(0, 100)
    bad = SentEntry(50, 50 if kind == "start" else good[0].game, kind, body, "2026")
    fold = fold_of([*good, bad])
    shown = fold.game_to_show()
    assert shown is not None
    if kind in ("input", "undo"):
        assert {player.score for player in shown.players} == {None}
    for entry in good:
        fold.take(SentEntry(entry.seq + 60, entry.game + 60, entry.kind, entry.body, entry.at))
    again = fold.game_to_show()
    assert again is not None
    assert [player.score for player in again.players] == [0, 0]


def test_the_board_follows_the_store(tmp_path: Path) -> None:
    play(tmp_path)
    play(tmp_path, acts=5)
    entries = JournalRows(tmp_path).after(0, 1000)
    seen, ended = list[dict[str, Any]](), list[tuple[str, int]]()

    def note_end(table: str, game: ShownGame) -> None:
        ended.append((table, game.number))

    async def run() -> None:
        store = SqliteStore(tmp_path / "hall.sqlite")
        board = HallBoard(
            store,
            games(),
            WORDS,
            seen.extend,
            lambda table, game: ended.append((table, game.number)),
        )
        await board.look()
        assert board.tables() == []
        for number, entry in enumerate(entries):
            after = entries[number - 1].seq if number else 0
            await store.save([EntryBatch(NAME, after, (entry,))], float(number))
            if number % 3 == 0:
                await board.look()
        await board.look()
        late = HallBoard(store, games(), WORDS, lambda tables: None)
        await late.look()
        assert late.tables() == board.tables() == [seen[-1]]
        assert late.set_names(["added"])
        assert [shown["table"] for shown in late.tables()] == ["added"], "the other is revoked"
        assert not late.set_names({"added"})
        await store.save([EntryBatch(NAME, entries[-1].seq, (entries[-1],))], 99.0)
        count = len(seen)
        await board.look()
        assert len(seen) == count
        await store.close()

    assert len(entries) < MOST_ENTRIES
    asyncio.run(run())
    assert ended == [("window", entries[0].seq)]
    assert seen[-1]["game"]["number"] == entries[-1].game


def test_a_status_reads_back_as_it_was_written() -> None:
    status = TableStatus(True, "Reader 2 does not answer.", True)
    assert status_of(status_text(status).encode()) == status
    assert status_of(status_text(AWAY).encode()) == AWAY
    for wrong in (b"", b'{"v":1}', b'{"v":1,"online":1,"fault":"","calls":false}'):
        with pytest.raises(BadHallMessage):
            status_of(wrong)


def test_the_page_has_its_words_in_every_language() -> None:
    for language in languages():
        page = hall_page(language)
        assert f'<html lang="{language}"' in page
        assert all(code in page for code in CODES)
    assert all(hall_file(name) for name in FILES)


def test_the_server_sends_all_tables_and_then_changes() -> None:
    async def run() -> None:
        claims = {"right": '{"v":1}'}
        server = BoardServer(
            lambda: [{"table": "a"}], lambda: None, lambda code: claims.pop(code, None), "en"
        )
        runner = web.AppRunner(server.app)
        await runner.setup()
        port = free_port()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        async with ClientSession(f"http://127.0.0.1:{port}") as session:
            async with session.get("/") as page:
                assert "script-src" not in await page.text()
                assert page.headers["Content-Security-Policy"].startswith("default-src 'self'")
            async with session.get("/events") as stream:
                lines = [await stream.content.readline() for _ in range(6)]
                assert b'"table": "a"' in lines[1]
                server.send("tables", [{"table": "b"}])
                lines = [await stream.content.readline() for _ in range(3)]
                assert lines[:2] == [b"event: tables\n", b'data: [{"table": "b"}]\n']
            for path, status in (("/static/nothing", 404), ("/static/hall.js", 200)):
                async with session.get(path) as answer:
                    assert answer.status == status
            async with session.get("/join/right") as answer:
                assert "hall.json" in await answer.text()
            for status in (200, 404):
                async with session.post("/join/right") as answer:
                    assert answer.status == status
            async with session.get("/", headers={"Host": "evil.example"}) as answer:
                assert answer.status == 403
        await runner.cleanup()

    asyncio.run(run())
