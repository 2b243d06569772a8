"""What one value of a judge's reply means in a form."""

from __future__ import annotations

import math
import re
from enum import StrEnum
from typing import Any

from confute.judges.forms import CANNOT_TELL, Boolean, Choice, Score, Verdicts

_YES = frozenset({"yes", "true", "1"})
_NO = frozenset({"no", "false", "0"})
_CANNOT_TELL = frozenset({CANNOT_TELL, "cannot tell", "can't tell", "can’t tell"})
_EDGES = " \t\r\n.,;:!\"'`*[]()"
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)


class Code(StrEnum):
    """What is wrong with a judge's reply; CANNOT_TELL alone is no error."""

    CANNOT_TELL = CANNOT_TELL
    MISSING_KEY = "missing_key"
    TRUNCATED = "truncated"
    JUDGE_REFUSED = "judge_refused"
    JUDGE_EMPTY = "judge_empty"
    UNPARSEABLE = "unparseable"
    OUT_OF_DOMAIN = "out_of_domain"
    SCORE_OUT_OF_RANGE = "score_out_of_range"
    COUNT_MISMATCH = "count_mismatch"
    CONTRADICTORY = "contradictory"

    @property
    def malformed(self) -> bool:
        """Whether the answer could not be read, so that asking once more may help."""
        return self not in {Code.CANNOT_TELL, Code.JUDGE_REFUSED}


class DomainError(Exception):
    """A value that is none of the form's; `code` says why."""

    def __init__(self, code: Code) -> None:
        super().__init__(code)
        self.code = code


def read(value: Any, form: Boolean | Choice | Score | Verdicts) -> bool | str | float | None:
    """Return a value in the form's own type, `None` where the judge cannot tell. Raises DomainError for any other."""
    if isinstance(value, str) and _word(value) in _CANNOT_TELL:
        return None
    match form:
        case Boolean() | Verdicts():
            return _boolean(value)
        case Choice():
            return _choice(value, form)
        case Score():
            return _score(value, form)


def _boolean(value: Any) -> bool | None:
    told = isinstance(value, bool | int) or (isinstance(value, str) and value.isascii())
    word = _word(str(value)) if told else ""
    if word == "-1":
        return None
    if word not in _YES | _NO:
        raise DomainError(Code.OUT_OF_DOMAIN)
    return word in _YES


def _choice(value: Any, form: Choice) -> str:
    if isinstance(value, str):
        for choice in form.choices:
            if _word(value) == _word(choice):
                return choice
    raise DomainError(Code.OUT_OF_DOMAIN)


def _score(value: Any, form: Score) -> float:
    number = _number(value)
    if number is None:
        raise DomainError(Code.OUT_OF_DOMAIN)
    if not form.scale[0] <= number <= form.scale[1]:
        raise DomainError(Code.SCORE_OUT_OF_RANGE)
    return number


def _number(value: Any) -> float | None:
    """A number; in text the comma is a decimal sign, unless it may part thousands, which cannot be told."""
    if isinstance(value, str):
        text = value.strip()
        return float(text.replace(",", ".")) if _NUMBER.fullmatch(text) and not _GROUPED.fullmatch(text) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _word(text: str) -> str:
    return text.strip(_EDGES).casefold()
