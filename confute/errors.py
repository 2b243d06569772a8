"""Errors that a user can act on.

The tree::

    ConfuteError
    ├── ContractError      an attack contract is unreadable or not valid
    ├── DatasetError       a claims file is unreadable or a row is not valid
    ├── ModelError         an embedder or a model cannot be loaded
    ├── VictimError        a detector cannot be built or breaks its interface
    │   └── CalibrationError   a threshold cannot be set from the given cases
    ├── PromptError        a prompt template is unreadable or asks for a value that it is not given
    ├── JudgeError         a family of judges cannot be read or built
    ├── PersonaError       a persona or its probes are unreadable, or a probe's check fails its own samples
    ├── OracleError        an oracle cannot vouch for the given cases
    ├── LedgerError        a ledger is unreadable, altered, or of another run
    ├── CorpusError        a corpus or a suite is unreadable or altered, or refuses what is asked of it
    └── ReportError        a report cannot be made from the given run
"""

from __future__ import annotations

from collections.abc import Mapping
from reprlib import Repr
from typing import Any

_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = 200
_SHORT.maxlevel = 2


def shown(value: object) -> str:
    """Return a value as a message shows it: its form of at most a few hundred characters, however large it is."""
    try:
        return _SHORT.repr(value)
    except ValueError:  # an integer of too many digits to write
        return f"{type(value).__name__} too large to show"


def problem_of(detail: Mapping[str, Any]) -> str:
    """Return what pydantic says of one mistake, without the "Value error" that it puts before the words of a check."""
    return str(detail["msg"]).removeprefix("Value error, ")


class ConfuteError(Exception):
    """A mistake in what was given to confute, told so that it can be mended.

    `field` names the place, `allowed` what may stand there, `got` what stood there and `hint` what to do next.
    """

    def __init__(
        self,
        problem: str,
        *,
        field: str | None = None,
        allowed: str | None = None,
        got: object = None,
        hint: str | None = None,
    ) -> None:
        self.problem = problem
        self.field = field
        self.allowed = allowed
        self.got = got
        self.hint = hint
        super().__init__(str(self))

    def __str__(self) -> str:
        lines = [f"{self.field}: {self.problem}" if self.field else self.problem]
        if self.allowed is not None:
            lines.append(f"  allowed: {self.allowed}")
        if self.got is not None:
            lines.append(f"  got: {shown(self.got)}")
        if self.hint is not None:
            lines.append(f"  next: {self.hint}")
        return "\n".join(lines)


class ContractError(ConfuteError):
    """An attack contract is unreadable or not valid."""


class DatasetError(ConfuteError):
    """A claims file is unreadable or one of its rows is not valid."""


class ModelError(ConfuteError):
    """An embedder or a model cannot be loaded."""


class VictimError(ConfuteError):
    """A detector cannot be built or breaks its interface."""


class CalibrationError(VictimError):
    """A threshold cannot be set from the given cases."""


class PromptError(ConfuteError):
    """A prompt template is unreadable or asks for a value that it is not given."""


class JudgeError(ConfuteError):
    """A family of judges cannot be read or built."""


class PersonaError(ConfuteError):
    """A persona or its probes are unreadable, or a probe's check is wrong about its own samples."""


class OracleError(ConfuteError):
    """An oracle cannot vouch for the given cases."""


class LedgerError(ConfuteError):
    """A ledger is unreadable, was altered, or belongs to another run."""


class CorpusError(ConfuteError):
    """A corpus of counterexamples or a suite is unreadable or altered, or refuses what is asked of it."""


class ReportError(ConfuteError):
    """A report cannot be made from the given run."""
