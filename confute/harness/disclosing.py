"""What each knowledge level shows of the victim, cut by the harness: an agent can read nothing above its level."""

from __future__ import annotations

import inspect
from collections.abc import Sequence

import numpy as np

from confute import text
from confute.agents.agent import Attribution, Disclosure
from confute.contract import Victim
from confute.errors import ContractError
from confute.models.embedder import Embedder
from confute.records import Case, Knowledge, Pair
from confute.victims import load as victims
from confute.victims.detector import Detector, Explains
from confute.victims.energy import bases
from confute.victims.isolation import risk_of
from confute.victims.segmentation import passages

_MAX_DESCRIPTION = 1_500
_MAX_ATTRIBUTED = 256


class Discloser:
    """Shows of a victim what a knowledge level may see; the threshold is shown at none.

    Raises ContractError at the level `white_box` for a user's own detector without `attributions(pair)`.
    """

    def __init__(self, victim: Victim, detector: Detector, embedder: Embedder | None, level: Knowledge) -> None:
        self._victim = victim
        self._detector = detector
        self._embedder = embedder
        self._level = level
        self._known: dict[Case, Disclosure] = {}
        if level.includes(Knowledge.WHITE_BOX) and victims.is_own(victim) and not isinstance(detector, Explains):
            raise ContractError(
                "the detector offers nothing of its inside",
                field="attacker.knowledge",
                allowed="decision, score, algorithm, or a detector with a method attributions(pair)",
                got=str(level),
            )

    def of(self, case: Case) -> Disclosure | None:
        """Return what an attacker of this level may see for a case; None below the level `algorithm`."""
        if not self._level.includes(Knowledge.ALGORITHM):
            return None
        if case not in self._known:
            self._known[case] = self._made(case)
        return self._known[case]

    def _made(self, case: Case) -> Disclosure:
        cut = passages(case.evidence, self._victim.segmentation)
        inside = self._level.includes(Knowledge.WHITE_BOX) and bool(cut)
        return Disclosure(
            description=_description(self._detector),
            configuration=self._configuration(),
            passages=cut,
            basis=self._basis(cut) if inside else (),
            attributions=self._attributions(Pair(claim=case.claim, evidence=cut)) if inside else (),
        )

    def _configuration(self) -> dict[str, str]:
        victim, unit = self._victim, self._victim.segmentation
        parts = {
            "detector": victim.detector,
            "embedder": victims.embedder_name(victim),
            "rank": victims.rank_of(victim),
            "segmentation": unit.unit.value,
            "window_tokens": unit.window_tokens,
            "higher_is_safer": victim.higher_is_safer or None,
        }
        return {name: str(value) for name, value in parts.items() if value is not None}

    def _basis(self, cut: Sequence[str]) -> tuple[tuple[float, ...], ...]:
        rank = victims.rank_of(self._victim)
        if rank is None or self._embedder is None:
            return ()
        rows = np.asarray(self._embedder.embed(cut), dtype=np.float64)
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        (basis,) = bases(unit[None], rank)
        return tuple(tuple(map(float, row)) for row in basis)

    def _attributions(self, pair: Pair) -> tuple[Attribution, ...]:
        """Return what the detector itself attributes or, for a built-in one, what leaving each token out does."""
        if isinstance(self._detector, Explains):
            sign = -1.0 if self._victim.higher_is_safer else 1.0
            given = self._detector.attributions(pair)
            return tuple(_attribution(pair.claim, start, end, sign * rise) for start, end, rise in given)
        spans = [one for one in text.spans(pair.claim)[:_MAX_ATTRIBUTED] if pair.claim.replace(one.text, "").strip()]
        without = [pair.model_copy(update={"claim": _without(pair.claim, one)}) for one in spans]
        whole, *risks = (
            risk_of(float(score), higher_is_safer=self._victim.higher_is_safer)  # type: ignore[arg-type]
            for score in self._detector.score([pair, *without])
        )
        return tuple(
            _attribution(pair.claim, one.start, one.end, risk - whole) for one, risk in zip(spans, risks, strict=True)
        )


def _attribution(claim: str, start: int, end: int, rise: float) -> Attribution:
    return Attribution(token=claim[start:end], start=start, end=end, rise=rise)


def _without(claim: str, span: text.Span) -> str:
    return f"{claim[: span.start].rstrip()} {claim[span.end :].lstrip()}".strip()


def _description(detector: Detector) -> str:
    written = inspect.getdoc(detector) or inspect.getdoc(type(detector)) or type(detector).__name__
    return " ".join(written.split())[:_MAX_DESCRIPTION]
