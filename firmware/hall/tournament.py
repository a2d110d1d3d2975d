"""A tournament: its rounds, the tables where games are played, results and standings.

Everything here is a value; ``tournament_file`` keeps it on disk. A win counts 1, a shared win 1/2,
and a free round 1. Ties are broken by the sum of the opponents' points (Buchholz).
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from firmware.common.errors import TapmatError
from firmware.hall.pairing import Pair, free_player, round_robin, swiss_pairs

WIN, DRAW, LOSS = 2, 1, 0  # half points
FREE = WIN


class System(StrEnum):
    """The system by which players are paired."""

    SWISS = "swiss"
    ROUND_ROBIN = "round-robin"


class TournamentError(TapmatError):
    """The tournament does not allow this."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """A game of *players*: at *table*, or waiting for one if that is empty.

    *halves* are the half points of both, or empty while it is played. *after* is the number of the
    last game at the table that had begun before the pair got it.
    """

    players: Pair
    table: str = ""
    halves: tuple[int, ...] = ()
    after: int = 0

    @property
    def is_done(self) -> bool:
        """True if the game has a result."""
        return bool(self.halves)


@dataclass(frozen=True, slots=True)
class TournamentRound:
    """One round: its games, and the player who is *free*, or an empty name."""

    pairings: tuple[Pairing, ...]
    free: str = ""

    @property
    def is_done(self) -> bool:
        """True if all games have results."""
        return all(pairing.is_done for pairing in self.pairings)


@dataclass(frozen=True, slots=True)
class RankedPlayer:
    """A row of the standings. *points* and *tie_break* are in points, not halves."""

    place: int
    name: str
    points: float
    tie_break: float
    played: int


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament called *name*, of *length* rounds of the game *game*.

    *last_games* has, by table, the number of the last game that has ended there.
    """

    name: str
    game: str
    system: System
    length: int
    players: tuple[str, ...]
    tables: tuple[str, ...]
    rounds: tuple[TournamentRound, ...] = ()
    last_games: tuple[tuple[str, int], ...] = ()

    @property
    def is_over(self) -> bool:
        """True if all rounds are played."""
        return len(self.rounds) == self.length and self.is_round_done

    @property
    def is_round_done(self) -> bool:
        """True if no game of the last round is still to be played."""
        return not self.rounds or self.rounds[-1].is_done

    def standings(self) -> list[RankedPlayer]:
        """Return all players, best first. Equal points and tie-breaks share a place."""
        halves = self._halves()
        against: dict[str, list[str]] = {name: [] for name in self.players}
        for pairing in self._results():
            one, other = pairing.players
            against[one].append(other)
            against[other].append(one)
        ties = {name: sum(halves[other] for other in against[name]) for name in self.players}
        order = sorted(self.players, key=lambda name: (-halves[name], -ties[name]))
        ranks = [(halves[name], ties[name]) for name in order]
        return [
            RankedPlayer(
                ranks.index(rank) + 1, name, halves[name] / 2, ties[name] / 2, len(against[name])
            )
            for name, rank in zip(order, ranks, strict=True)
        ]

    def next_round(self, ready: Mapping[str, int]) -> "Tournament":
        """Return the tournament with the next round. *ready* are the tables as in ``seat``.

        Raises:
            TournamentError: the round before is not done, or it was the last.
        """
        if not self.is_round_done:
            missing = [pairing for pairing in self.rounds[-1].pairings if not pairing.is_done]
            names = "; ".join(" - ".join(pairing.players) for pairing in missing)
            raise TournamentError(f"These games have no result yet: {names}.")
        if self.is_over:
            raise TournamentError("The tournament is over.")
        begun = replace(self, rounds=(*self.rounds, self._new_round()))
        return begun.seat(ready)

    def seat(self, ready: Mapping[str, int]) -> "Tournament":
        """Return the tournament with waiting games at free tables.

        *ready* are the tables that can be used, each with the number of the last game that began
        there (0: none). Only a game that begins later counts.
        """
        if not self.rounds:
            return self
        last, numbers = self.rounds[-1], dict(self.last_games)
        taken = {pairing.table for pairing in last.pairings if not pairing.is_done}
        free = [table for table in self.tables if table in ready and table not in taken]
        waiting = [pairing for pairing in last.pairings if not (pairing.table or pairing.is_done)]
        new = {
            pairing: replace(pairing, table=table, after=max(numbers.get(table, 0), ready[table]))
            for pairing, table in zip(waiting, free, strict=False)
        }
        return self._with_pairings(new.get(pairing, pairing) for pairing in last.pairings)

    def with_result(self, pair: Collection[str], winners: Collection[str]) -> "Tournament":
        """Return the tournament after the game of *pair*, which *winners* have won.

        A result that is entered again replaces the first.

        Raises:
            TournamentError: there is no such game in this round.
        """
        pairings = list(self.rounds[-1].pairings) if self.rounds else []
        for number, pairing in enumerate(pairings):
            if set(pairing.players) == set(pair):
                share = DRAW if len(set(winners)) == len(pairing.players) else WIN
                halves = tuple(share if name in winners else LOSS for name in pairing.players)
                pairings[number] = replace(pairing, halves=halves)
                return self._with_pairings(pairings)
        raise TournamentError(f"{' and '.join(pair)} do not play in this round.")

    def after_game(
        self, table: str, number: int, game: str, winners: Sequence[str], names: Sequence[str]
    ) -> "Tournament":
        """Return the tournament after game *number* at *table* has ended.

        Without *winners*, or if it was another game or between other players, it does not count.
        """
        known = {**dict(self.last_games), table: number}
        result = replace(self, last_games=tuple(sorted(known.items())))
        for pairing in self.rounds[-1].pairings if self.rounds else ():
            is_it = (pairing.table, set(pairing.players)) == (table, set(names))
            if is_it and game == self.game and number > pairing.after and winners:
                return result.with_result(pairing.players, winners)
        return result

    def without(self, table: str) -> "Tournament":
        """Return the tournament without *table*: its unfinished game waits for another one.

        Raises:
            TournamentError: no such table takes part.
        """
        if table not in self.tables:
            known = ", ".join(self.tables)
            raise TournamentError(
                f"There is no table {table!r} in the tournament. Tables: {known}."
            )
        left = replace(self, tables=tuple(one for one in self.tables if one != table))
        if not self.rounds:
            return left
        pairings = self.rounds[-1].pairings
        stuck = {pairing for pairing in pairings if pairing.table == table and not pairing.is_done}
        return left._with_pairings(
            replace(pairing, table="") if pairing in stuck else pairing for pairing in pairings
        )

    def _with_pairings(self, pairings: Iterable[Pairing]) -> "Tournament":
        last = replace(self.rounds[-1], pairings=tuple(pairings))
        return replace(self, rounds=(*self.rounds[:-1], last))

    def _new_round(self) -> TournamentRound:
        if self.system is System.ROUND_ROBIN:
            rounds = round_robin(self.players)
            pairs = rounds[len(self.rounds) % len(rounds)]
            playing = {name for pair in pairs for name in pair}
            free = next((name for name in self.players if name not in playing), "")
        else:
            ranked = [row.name for row in self.standings()]
            free = free_player(ranked, {one.free for one in self.rounds}) or ""
            met = {frozenset(pairing.players) for pairing in self._results()}
            pairs = swiss_pairs([name for name in ranked if name != free], met)
        return TournamentRound(tuple(map(Pairing, pairs)), free)

    def _results(self) -> list[Pairing]:
        return [p for one in self.rounds for p in one.pairings if p.is_done]

    def _halves(self) -> dict[str, int]:
        halves = dict.fromkeys(self.players, 0)
        for one in self.rounds:
            if one.free:
                halves[one.free] += FREE
        for pairing in self._results():
            for name, half in zip(pairing.players, pairing.halves, strict=True):
                halves[name] += half
        return halves


def new_tournament(
    name: str,
    game: str,
    system: System,
    length: int,
    players: Sequence[str],
    tables: Sequence[str],
) -> Tournament:
    """Return a new tournament; *length* 0 is the usual number of rounds.

    That is one fewer than there are players for a round robin (or as many, if they are odd), and
    for a Swiss system the number of times by which they can be halved.

    Raises:
        TournamentError: there are too few players or tables, or a name is there twice.
    """
    if len(players) < 2:
        raise TournamentError("A tournament needs at least two players.")
    if not tables:
        raise TournamentError("A tournament needs a table. Make one: tapmat hall add-table NAME")
    double = sorted({one for one in players if players.count(one) > 1})
    if double:
        raise TournamentError(f"These names are there twice: {', '.join(double)}.")
    most = len(players) - 1 + len(players) % 2
    if length > most:
        raise TournamentError(
            f"{len(players)} players can meet in {most} rounds at most, and not in {length}."
        )
    usual = most if system is System.ROUND_ROBIN else (len(players) - 1).bit_length()
    return Tournament(name, game, system, length or usual, tuple(players), tuple(tables))
