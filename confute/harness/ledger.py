"""The append-only record of a run: one row per Attempt, chained by digests."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from confute.harness.chain import Chain, readable
from confute.models.surrogates import escaped
from confute.records import Arm, AttackGoal, Attempt, digest_of

Key = tuple[str, AttackGoal | None, Arm, int, int, int | None]


def key_of(attempt: Attempt) -> Key:
    """Return what tells an attempt from every other of its run."""
    return attempt.case_id, attempt.goal, attempt.arm, attempt.step, attempt.repeat, attempt.level


class Ledger:
    """An open ledger; a context manager that commits nothing on its own.

    `append` writes a batch in one transaction, so that a kill leaves either all of it or nothing. Raises LedgerError
    where the file is unreadable, or was altered.
    """

    def __init__(self, path: Path) -> None:
        self._chain = Chain(path, how_to_go_on="go on with --resume")
        with readable(path):
            self._evidence = self._chain.evidence()
            self._rows = dict(self._read())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._chain.close()

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """Every attempt, in the order in which it was written."""
        return tuple(self._rows.values())

    @property
    def digest(self) -> str:
        """The chain digest of the last row, in hex; 64 zeros for an empty ledger."""
        return self._chain.digest

    def identify(self, identity: dict[str, str]) -> None:
        """Bind a new ledger to a run's identity, or check that an old one has the same.

        Raises LedgerError naming every part that differs.
        """
        self._chain.identify(identity)

    def find(self, attempt_key: Key) -> Attempt | None:
        """Return the attempt that was written under a key, if any."""
        return self._rows.get(attempt_key)

    def append(self, attempts: Sequence[Attempt]) -> None:
        """Write new attempts, all or none, in order.

        Raises LedgerError where one of the keys is taken, or the file cannot be written.
        """
        evidence = {digest_of(attempt.evidence): attempt.evidence for attempt in attempts}
        new = {digest: passages for digest, passages in evidence.items() if digest not in self._evidence}
        self._chain.append([(_key_text(key_of(attempt)), _body(attempt)) for attempt in attempts], new)
        self._evidence |= new
        self._rows.update((key_of(attempt), attempt) for attempt in attempts)

    def _read(self) -> Iterator[tuple[Key, Attempt]]:
        for body in self._chain.bodies():
            fields = json.loads(body)
            attempt = Attempt.model_validate({**fields, "evidence": self._evidence[fields["evidence"]]})
            yield key_of(attempt), attempt


def _body(attempt: Attempt) -> str:
    fields = attempt.model_dump(mode="json")
    fields["evidence"] = digest_of(attempt.evidence)
    return escaped(json.dumps(fields, ensure_ascii=False, sort_keys=True, separators=(",", ":")))


def _key_text(attempt_key: Key) -> str:
    return escaped(json.dumps(attempt_key, ensure_ascii=False))
