"""The victim's own formula on the public embedder: the risk that an edited claim is expected to have, asking nobody."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from confute.agents.agent import Disclosure, View
from confute.agents.drafts import Edits, by_prior
from confute.edits import edited
from confute.models.embedder import Embedder
from confute.records import AttackGoal, Edit
from confute.text import fold

Array = NDArray[np.float64]
Formula = Callable[[Sequence[str]], Sequence[float]]

_RCOND = 1e-6
_WORD = re.compile(r"\w+")


class Expected:
    """Works a disclosed victim's risks out for edited claims; an edit of evidence has none."""

    def __init__(self, embedder: Embedder | None = None) -> None:
        """`embedder` is the public model that the victim is disclosed to work with, None where it works without."""
        self._embedder = embedder

    @property
    def fingerprint(self) -> str | None:
        """The embedder's fingerprint; None without one."""
        return None if self._embedder is None else self._embedder.fingerprint

    def of(self, view: View) -> CaseExpected | None:
        """Return what is expected of one case's claims; None where the victim is not disclosed, or its formula not."""
        formula = None if view.disclosure is None else self._formula(view.disclosure)
        return None if formula is None else CaseExpected(view, formula)

    def _formula(self, disclosure: Disclosure) -> Formula | None:
        detector = disclosure.configuration.get("detector")
        if not disclosure.passages:
            return None
        if detector == "word_overlap":
            return _overlap(disclosure.passages)
        if self._embedder is None:
            return None
        if detector == "hallucination_energy":
            return _energy(self._embedder, directions(disclosure, self._embedder))
        return _nearest(self._embedder, disclosure.passages) if detector == "nearest_passage" else None


class CaseExpected:
    """The risks expected of one case's edited claims; each claim is worked out once."""

    def __init__(self, view: View, formula: Formula) -> None:
        self._view = view
        self._formula = formula
        self._sign = 1.0 if view.goal is AttackGoal.FALSE_ACCEPTANCE else -1.0
        self._known: dict[str, float] = {}

    def risks(self, choices: Sequence[Edits]) -> list[float | None]:
        """Return the risk expected of each set of edits; None where it changes evidence, or overlaps."""
        claims = [None if _changes_evidence(edits) else edited(self._view.start.claim, edits) for edits in choices]
        new = sorted({claim for claim in claims if claim is not None and claim.strip()} - self._known.keys())
        if new:
            self._known |= zip(new, self._formula(new), strict=True)
        return [None if claim is None else self._known.get(claim) for claim in claims]

    def risk_of(self, edits: Edits) -> float | None:
        """Return the risk expected of a set of edits."""
        return self.risks([edits])[0]

    def sorted(self, choices: Sequence[Edits]) -> list[Edits]:
        """Return the sets of edits of which a risk is expected, the nearest to the goal first, ties as given."""
        known = [(risk, edits) for risk, edits in zip(self.risks(choices), choices, strict=True) if risk is not None]
        return [edits for _, edits in sorted(known, key=lambda pair: self._sign * pair[0])]

    def ranked(self, moves: Sequence[Edit]) -> tuple[Edit, ...]:
        """Return the moves, the nearest to the goal first, and those of which no risk is expected last."""
        first = [edits[0] for edits in self.sorted([(move,) for move in moves])]
        return tuple(dict.fromkeys([*first, *by_prior(self._view)]))


def directions(disclosure: Disclosure, embedder: Embedder) -> Array:
    """Return the directions that an energy detector keeps of the evidence, (directions, dimension).

    They are the disclosed basis or, where none is, the top right singular directions of the passages' unit vectors,
    without those whose singular value is at most 1e-6 of the largest.
    """
    if disclosure.basis:
        return np.array(disclosure.basis)
    rows = np.asarray(embedder.embed(disclosure.passages), dtype=np.float64)
    _, values, right = np.linalg.svd(rows, full_matrices=False)
    kept = int((values > _RCOND * values[0]).sum())
    rank = disclosure.configuration.get("rank", "full")
    return np.asarray(right[: kept if rank == "full" else min(kept, int(rank))])


def _energy(embedder: Embedder, basis: Array) -> Formula:
    """Return the length, squared, of the part of a claim that is orthogonal to every kept direction."""

    def risks(claims: Sequence[str]) -> Sequence[float]:
        vectors = np.asarray(embedder.embed(claims), dtype=np.float64)
        return [float(one) for one in np.clip(1.0 - np.square(vectors @ basis.T).sum(axis=1), 0.0, 1.0)]

    return risks


def _nearest(embedder: Embedder, passages: Sequence[str]) -> Formula:
    rows = np.asarray(embedder.embed(passages), dtype=np.float64)

    def risks(claims: Sequence[str]) -> Sequence[float]:
        vectors = np.asarray(embedder.embed(claims), dtype=np.float64)
        return [float(one) for one in 1.0 - (vectors @ rows.T).max(axis=1)]

    return risks


def _overlap(passages: Sequence[str]) -> Formula:
    known = {word for passage in passages for word in _WORD.findall(fold(passage))}

    def risks(claims: Sequence[str]) -> Sequence[float]:
        words = [set(_WORD.findall(fold(claim))) for claim in claims]
        return [1.0 - len(one & known) / len(one) if one else 1.0 for one in words]

    return risks


def _changes_evidence(edits: Edits) -> bool:
    return any(edit.mechanism.changes_evidence for edit in edits)
