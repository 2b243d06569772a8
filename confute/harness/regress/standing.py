"""What a counterexample's replays mean for its status: whether that is as expected, and which move is due."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol, Self, TypeVar

from confute.counterexample import Status
from confute.errors import CorpusError
from confute.harness.regress.replay import ReplayState
from confute.models.surrogates import well_formed
from confute.records import Record
from confute.text import is_blank


class KnownFailure(Protocol):
    """A failure that is kept with where it stands, such as a Counterexample or a PersonaCounterexample."""

    @property
    def attack_id(self) -> str: ...  # noqa: D102
    @property
    def status(self) -> Status: ...  # noqa: D102
    @property
    def mitigated_by(self) -> Record | None: ...  # noqa: D102
    @property
    def reason(self) -> str | None: ...  # noqa: D102
    def model_copy(self, *, update: Mapping[str, Any] | None = None) -> Self: ...  # noqa: D102


Row = TypeVar("Row", bound=KnownFailure)


class Standing(NamedTuple):
    """Whether what a replay showed is no reason to fail, what it is called, and the status that it calls for."""

    expected: bool
    words: str
    due: Status | None = None


_ACTIVE, _MITIGATED, _ACKNOWLEDGED = Status.ACTIVE_REGRESSION, Status.MITIGATED, Status.ACKNOWLEDGED_LIMITATION
_STANDINGS = {
    (_ACTIVE, ReplayState.HOLDS): Standing(True, "holds now", _MITIGATED),
    (_ACTIVE, ReplayState.FAILS): Standing(False, "still fails"),
    (_ACTIVE, ReplayState.FLAKY): Standing(False, "flaky"),
    (_ACTIVE, ReplayState.UNMEASURED): Standing(False, "not measured"),
    (_MITIGATED, ReplayState.HOLDS): Standing(True, "still holds"),
    (_MITIGATED, ReplayState.FAILS): Standing(False, "fails again", _ACTIVE),
    (_MITIGATED, ReplayState.FLAKY): Standing(False, "flaky"),
    (_MITIGATED, ReplayState.UNMEASURED): Standing(False, "not measured"),
    (_ACKNOWLEDGED, ReplayState.HOLDS): Standing(True, "holds now", _MITIGATED),
    (_ACKNOWLEDGED, ReplayState.FAILS): Standing(True, "fails, as acknowledged"),
    (_ACKNOWLEDGED, ReplayState.FLAKY): Standing(True, "flaky, as acknowledged"),
    (_ACKNOWLEDGED, ReplayState.UNMEASURED): Standing(False, "not measured"),
}


def standing(status: Status, state: ReplayState) -> Standing:
    """Return what replays mean for a status; what was not measured is never expected."""
    return _STANDINGS[status, state]


def moved(row: Row, due: Status | None, by: Record) -> Row:
    """Return a counterexample with the status that its replays call for, unchanged where they call for none.

    MITIGATED names the victim that did it, `by`; one that fails again is an ACTIVE_REGRESSION without it.
    """
    if due is None:
        return row
    return row.model_copy(
        update={"status": due, "mitigated_by": by if due is Status.MITIGATED else None, "reason": None}
    )


def acknowledged(row: Row, reason: str) -> Row:
    """Return a counterexample as an ACKNOWLEDGED_LIMITATION, with the reason why it may fail.

    Raises CorpusError for a reason that shows nothing or is no text, and for a counterexample that is MITIGATED: its
    failure must be seen first.
    """
    if is_blank(reason):
        raise CorpusError("a limitation is acknowledged with a reason", field="--reason", got=reason)
    if well_formed(reason) != reason:
        raise CorpusError("is no text that can be written", field="--reason", allowed="text in UTF-8")
    if row.status is Status.MITIGATED:
        raise CorpusError(
            "what is mitigated cannot be acknowledged as a limitation",
            field=row.attack_id,
            allowed=f"{Status.ACTIVE_REGRESSION}, {Status.ACKNOWLEDGED_LIMITATION}",
            got=row.status.value,
            hint="where it fails again, `confute regress CORPUS --update` makes it an active regression",
        )
    return row.model_copy(update={"status": Status.ACKNOWLEDGED_LIMITATION, "reason": reason.strip()})
