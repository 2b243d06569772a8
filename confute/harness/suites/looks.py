"""The log of looks: which suite was run when, how often, and with which attacker; rows are only ever added."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import Field

from confute.errors import LedgerError
from confute.harness.files import write_text
from confute.harness.judging.page import Page, Part
from confute.harness.row_ledger import RowLedger
from confute.harness.suites.suite import Suite, SuiteKind
from confute.records import Record

LOOKS = "looks.sqlite"
ANCHOR = "looks.json"
"""How many looks there were at least, and the digest of the last of them."""


class Look(Record):
    """A run of a suite that began, or, with the digest of its ledger, one that was finished; `at` is UTC."""

    number: int = Field(ge=1)
    at: str
    suite: str
    kind: SuiteKind
    suite_digest: str
    cases_digest: str
    attacker_fingerprint: str | None
    run: str
    ledger: str | None = None

    @property
    def key(self) -> tuple[int]:
        """Its number."""
        return (self.number,)


class Anchor(Record):
    """How many rows a log of looks had at some time, and the chain digest of the last of them, in hex."""

    rows: int = Field(ge=1)
    digest: str


class LookLog:
    """The looks at all suites of a folder; a context manager.

    Raises LedgerError where the file was altered, or has not all the rows that the anchor beside it tells of.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._ledger: RowLedger[tuple[int], Look] = RowLedger(root / LOOKS, Look)
        try:
            anchor = _anchor(root)
            if anchor is not None:
                self.refuse_without(anchor, str(root / ANCHOR))
        except LedgerError:
            self._ledger.__exit__(None, None, None)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ledger.__exit__(kind, error, trace)

    @property
    def rows(self) -> tuple[Look, ...]:
        """Every row, in the order in which it was written."""
        return tuple(self._ledger.rows)

    @property
    def anchor(self) -> Anchor:
        """How many rows it has, and the digest of the last one."""
        return Anchor(rows=len(self.rows), digest=self._ledger.digest)

    def refuse_without(self, anchor: Anchor, whose: str) -> None:
        """Raise LedgerError where the log has not the rows that an anchor tells of."""
        if self._ledger.digest_at(anchor.rows) != anchor.digest:
            raise LedgerError(
                "looks were taken out of the log, or it is another one",
                field=str(self._root / LOOKS),
                allowed=f"at least {anchor.rows} rows, the last of them {anchor.digest[:12]}, as {whose} tells",
                got=f"{len(self.rows)} rows",
                hint="restore the log: a count of looks that shrinks tells nothing",
            )

    def add(self, suite: Suite, run: str, ledger: str | None = None) -> Look:
        """Write that a run of a suite begins, or that it is finished with the digest of its ledger.

        Whoever writes holds the folder from before the log is opened.
        """
        manifest = suite.manifest
        look = Look(
            number=len(self.rows) + 1,
            at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            suite=suite.name,
            kind=manifest.kind,
            suite_digest=manifest.digest,
            cases_digest=manifest.cases_digest,
            attacker_fingerprint=manifest.attacker_fingerprint,
            run=run,
            ledger=ledger,
        )
        self._ledger.append(look)
        write_text(self._root / ANCHOR, self.anchor.model_dump_json())
        return look


def looks_in(root: Path) -> tuple[Look, ...]:
    """Return the looks at the suites of a folder, none where there is no log yet. Raises LedgerError where altered."""
    if not (root / LOOKS).is_file() and _anchor(root) is None:
        return ()
    with LookLog(root) as log:
        return log.rows


def begun(rows: Sequence[Look], suite: Suite) -> tuple[Look, ...]:
    """Return the looks at the cases of a suite, whatever attacker was frozen and whatever the suite was called."""
    return tuple(row for row in rows if row.ledger is None and row.cases_digest == suite.manifest.cases_digest)


def warnings(rows: Sequence[Look], suite: Suite) -> tuple[str, ...]:
    """Return why a held-out figure is no test any more: looked at again, or before this attacker was frozen."""
    if suite.manifest.kind is not SuiteKind.HELD_OUT:
        return ()
    looks = begun(rows, suite)
    before = [look for look in looks if look.attacker_fingerprint != suite.manifest.attacker_fingerprint]
    said = []
    if len(looks) > 1:
        said.append(
            f"these cases were looked at {len(looks)} times, first on {looks[0].at}: what was changed since then may "
            "have been chosen by them, and a test that changes what is tried next is no longer a test"
        )
    if before:
        said.append(f"{len(before)} of these looks came before the present attacker was frozen")
    return tuple(said)


def page(rows: Sequence[Look], suites: Sequence[Suite]) -> Page:
    """Return the log as a page: every suite with its number of looks, then every look, the last one first."""
    told = {(row.run, row.suite_digest) for row in rows if row.ledger is not None}
    counted = tuple(
        (suite.name, str(suite.manifest.kind), suite.manifest.digest[:12], str(len(begun(rows, suite))))
        for suite in suites
    )
    looked = tuple(
        (
            look.at,
            look.suite,
            str(look.kind),
            (look.attacker_fingerprint or "-")[:12],
            look.run,
            "yes" if (look.run, look.suite_digest) in told else "",
        )
        for look in reversed(rows)
        if look.ledger is None
    )
    said = tuple(f"{suite.name}: {warning}" for suite in suites for warning in warnings(rows, suite))
    parts = (
        Part("suites", ("suite", "kind", "digest", "looks"), counted),
        Part("looks", ("at", "suite", "kind", "attacker", "run", "finished"), looked),
    )
    return Page(f"{len(looked)} looks at suites", said, (), parts)


def _anchor(root: Path) -> Anchor | None:
    try:
        return Anchor.model_validate_json((root / ANCHOR).read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise LedgerError("is no anchor of a log of looks", field=str(root / ANCHOR), hint="restore it") from error
