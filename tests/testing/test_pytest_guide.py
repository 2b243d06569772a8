"""The snippets of the guide run as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

GUIDE = Path(__file__).parents[2] / "docs" / "pytest.md"


def snippets() -> tuple[str, str, str]:
    first, second, third = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), flags=re.DOTALL)
    return first, second, third


def test_the_conftest_of_the_guide_gives_the_detector_and_the_suite_passes(pytester: pytest.Pytester) -> None:
    fixture, _, suite = snippets()
    pytester.makeconftest(fixture)
    pytester.makepyfile(
        test_suite=suite,
        test_fixture="def test_it(detector): assert type(detector).__name__ == 'WordOverlap'",
    )
    pytester.runpytest_inprocess("-W", "error").assert_outcomes(passed=10)


def test_the_repeated_tests_of_the_guide_run_as_often_as_it_says(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("import pytest\n@pytest.fixture\ndef persona(): return None")
    pytester.makepyfile(snippets()[1])
    done = pytester.runpytest_inprocess("-W", "error")
    done.assert_outcomes(passed=2)
    done.stdout.fnmatch_lines(["*10 of 10 runs passed*", "*CLEARED: 0 of 14 runs failed*"])
