"""Twelve planted bugs: the grounding check broken in the ways that detectors are broken."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

from confute.harness.control.alter import sign_flipped
from confute.records import Pair
from confute.victims.detector import Detector
from confute.victims.grounding import GroundingCheck
from confute.victims.overlap import WordOverlap

_SIGN = re.compile(
    r"(?<![\w.])[-\u2212](?=[$\u20ac\u00a3]?\d)|\bminus\b|\b(?:fell|rose|gain(?:ed)?|lost|loss|grew|shrank|increased?|decreased?|up|down|"
    r"dropped|climbed|decline[ds]?|growth|rise|fall|drop|improved|contracted|expanded|surged|plunged)\b",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r"[$\u20ac\u00a3%]|\b(?:percent|per cent|dollars|euros|pounds|km|kg|miles|people|tonnes|meters|metres)\b"
)
_CAPITAL = re.compile(r"\b[A-Z]\w+")


class Mutant:
    """A detector with a bug: a function from a pair and the sound risk of pairs to a risk."""

    def __init__(self, risk: Callable[[Pair, Callable[[Pair], float]], float]) -> None:
        self._risk = risk
        self._sound = GroundingCheck()

    def score(self, pairs: Sequence[Pair]) -> list[float]:
        """Return one risk per pair."""
        return [self._risk(pair, lambda one: self._sound.judge(one).risk) for pair in pairs]


class _Cached:
    def __init__(self) -> None:
        self._sound = GroundingCheck()
        self._answers: dict[tuple[str, ...], float] = {}

    def score(self, pairs: Sequence[Pair]) -> list[float]:
        return [self._answers.setdefault(pair.evidence, self._sound.judge(pair).risk) for pair in pairs]


class _ManyFlags:
    def score(self, pairs: Sequence[Pair]) -> list[float]:
        found = [GroundingCheck().judge(pair).grounding for pair in pairs]
        return [1.0 if len(one.flags) > 1 else 0.0 for one in found]


def _rewritten(pair: Pair, change: Callable[[str], str]) -> Pair:
    return Pair(claim=change(pair.claim), evidence=tuple(map(change, pair.evidence)))


def _case_sensitive(pair: Pair, sound: Callable[[Pair], float]) -> float:
    there = frozenset(_CAPITAL.findall(" ".join(pair.evidence)))
    return 1.0 if not there.issuperset(_CAPITAL.findall(pair.claim)) else sound(pair)


def _nan_when_sure(pair: Pair, sound: Callable[[Pair], float]) -> float:
    risk = sound(pair)
    return math.nan if risk > 0.5 else risk


def mutants() -> dict[str, Detector]:
    """Return each planted bug by its name, as a fresh detector."""
    return {
        "abs": Mutant(lambda pair, sound: sound(_rewritten(pair, lambda text: _SIGN.sub("moved", text)))),
        "dropped_unit": Mutant(lambda pair, sound: sound(_rewritten(pair, lambda text: _UNIT.sub("", text)))),
        "reversed_sign": Mutant(
            lambda pair, sound: sound(pair.model_copy(update={"claim": sign_flipped(pair.claim) or pair.claim}))
        ),
        "constant": Mutant(lambda _pair, _sound: 0.7),
        "length": Mutant(lambda pair, _sound: min(1.0, len(pair.claim) / 150)),
        "overlap_only": WordOverlap(),
        "off_by_one_threshold": _ManyFlags(),
        "case": Mutant(_case_sensitive),
        "first_passage_only": Mutant(
            lambda pair, sound: sound(pair.model_copy(update={"evidence": pair.evidence[:1]}))
        ),
        "cached_answer": _Cached(),
        "nan": Mutant(_nan_when_sure),
        "inverted_scale": Mutant(lambda pair, sound: 1.0 - sound(pair)),
    }
