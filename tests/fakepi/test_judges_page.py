"""The page of verdicts is made from the judges' tests, and its versions are those that are pinned.

The judges themselves run in a separate environment: make test-judges.
"""

import ast
from pathlib import Path

import pytest

from tests.fakepi.judges import verdicts
from tests.fakepi.judges.verdicts import MODULES, PAGE, ROOT

LONGEST = 10  # lines of a judge
HERE = Path(verdicts.__file__).parent


def test_the_page_is_made_from_the_tests() -> None:
    how = "run: python -m tests.fakepi.judges.verdicts"
    assert PAGE.read_text(encoding="utf-8") == verdicts.page(), how


def test_the_named_drivers_are_those_that_are_pinned() -> None:
    pins = {
        line.replace("==", " ")
        for name in ("judges.in", "judges-beside.in")
        for line in (ROOT / "requirements" / name).read_text(encoding="utf-8").splitlines()
        if "==" in line
    }
    assert {verdict.driver for verdict in verdicts.verdicts()} <= pins


@pytest.mark.parametrize("name", MODULES)
def test_every_judge_has_a_verdict_and_is_short(name: str) -> None:
    tree = ast.parse((HERE / f"{name}.py").read_text(encoding="utf-8"))
    for test in ast.walk(tree):
        if not isinstance(test, ast.FunctionDef) or not test.name.startswith("test_"):
            continue
        decorators = [ast.unparse(d) for d in test.decorator_list]
        assert any(d.startswith(("right(", "wrong(")) for d in decorators), test.name
        assert test.end_lineno is not None
        assert test.end_lineno - test.body[0].lineno + 1 <= LONGEST, test.name


def test_the_modules_are_all_there() -> None:
    assert sorted(MODULES) == sorted(path.stem for path in HERE.glob("test_*.py"))
