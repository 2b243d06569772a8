"""Labelled exhibits for tests of judges."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pytest

from confute.errors import ConfuteError, DatasetError
from confute.harness.judging.cases import read_cases
from confute.judges.judge import JudgeCase


def cases_of(file: Path, family: str | None) -> tuple[JudgeCase, ...]:
    """Return the cases of one family; pytest.Collector.CollectError for a file or a family that cannot be read."""
    if family is None:
        raise pytest.Collector.CollectError(
            "judge_case needs a family: mark the test confute_family(name), or give --confute-family"
        )
    try:
        return _read(file, family)
    except ConfuteError as error:
        raise pytest.Collector.CollectError(str(error)) from error


def given(case: JudgeCase | None) -> JudgeCase:
    """Return a case; DatasetError where none was given, since no file of cases was named."""
    if case is None:
        raise DatasetError(
            "no file of labelled exhibits was named",
            field="judge_case",
            allowed="--confute-judge-cases, in the ini file confute_judge_cases",
            hint="or write a fixture `judge_case` of your own, in conftest.py",
        )
    return case


@lru_cache(maxsize=8)
def _read(file: Path, family: str) -> tuple[JudgeCase, ...]:
    return read_cases(file, family).cases
