"""The topic of each message of the five games. A table on its terse setting leaves some topics out.

A message that is not listed is news.
"""

from collections.abc import Mapping

from engines.common.contract import Topic

CODES: Mapping[str, Mapping[Topic, str]] = {  # by game and topic, separated by spaces
    "camargue": {
        Topic.TOTAL: "copies discards scores",
        Topic.TURN: "goes-on turn",
        Topic.QUESTION: """aside-and-draw aside-only copy-or-turn fits-not must-place shows
            take-emergency where-to whose-helper""",
        Topic.RESULT: """goal goal-missed goal-reached no-emergency-tile shared-win stuck total
            winner""",
    },
    "ciao": {
        Topic.TOTAL: "card points",
        Topic.TURN: "begins turn",
        Topic.DIRECTION: "turned",
        Topic.QUESTION: """again-or-reverse ask-short count-hand name-special name-symbol owes
            penalty race say-thanks takes-back to-whom too-late.do whose-card with-whom""",
        Topic.RESULT: "blocked hand-scored out round-over shared-win tied total winner",
    },
    "cramel": {
        Topic.TOTAL: "completes single",
        Topic.TURN: "turn",
        Topic.RESULT: """bloom cramels-tied goal goal-missed goal-reached mixed most-cramels
            nothing-left shared-win takes takes-none total winner winner-by-cramels
            winner-by-order""",
    },
    "riff-raff": {
        Topic.TOTAL: "holds",
        Topic.TURN: "captain is-next loads",
        Topic.QUESTION: """how-many how-many-caught look one-or-two round-begins second-piece
            show-colour tap-the-others tap-them tied which-fell which-one who-is-next""",
        Topic.RESULT: "all-loaded all-played has leave placed-returns shared-win takes winner",
    },
    "straw": {
        Topic.TOTAL: "points weight",
        Topic.TURN: "turn",
        Topic.DIRECTION: "turned",
        Topic.QUESTION: "choose-weight count-hand",
        Topic.RESULT: """broken broken-by-copy goal goal-missed goal-reached hand-scored packed
            round-over shared-win straw-broke stuck tied total unbroken winner""",
    },
}
TOPICS: Mapping[str, Mapping[str, Topic]] = {
    game: {code: topic for topic, codes in topics.items() for code in codes.split()}
    for game, topics in CODES.items()
}
