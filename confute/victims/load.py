"""Detectors by name: the built-in ones, and a user's own as `module:attribute`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from typing import cast

from confute.contract import Victim
from confute.errors import VictimError
from confute.models.embedder import Embedder
from confute.models.load import DEFAULT as DEFAULT_EMBEDDER
from confute.named import named, source_of
from confute.records import Pair
from confute.victims.cosine import NearestPassage
from confute.victims.detector import Detector
from confute.victims.energy import HallucinationEnergy, Rank
from confute.victims.grounding import GroundingCheck
from confute.victims.overlap import WordOverlap

_ENERGY, _COSINE, _OVERLAP, _GROUNDING = "hallucination_energy", "nearest_passage", "word_overlap", "grounding"
_DEFAULT_RANK = 8
_ALLOWED = f"{_ENERGY}, {_COSINE}, {_OVERLAP}, {_GROUNDING}, or module:attribute for your own"


def load(victim: Victim, embedder: Callable[[str], Embedder]) -> Detector:
    """Build the detector of a contract; `embedder` loads an embedder by name and is called only where one is needed.

    A user's own detector is a class (called without arguments), an object with `score`, or a function from pairs to
    scores; its module is looked for in the current folder too. Raises VictimError where the name is unknown, where
    the module cannot be imported or the attribute cannot score, and where an embedder or a rank is given to a
    detector that has none.
    """
    name = embedder_name(victim)
    if victim.rank is not None and victim.detector != _ENERGY:
        raise _makes_no_sense("rank", victim.rank, f"only with the detector {_ENERGY}")
    if victim.detector == _OVERLAP:
        return WordOverlap()
    if victim.detector == _GROUNDING:
        return GroundingCheck()
    if name is None:
        return _own(victim.detector)
    if victim.detector == _COSINE:
        return NearestPassage(embedder(name))
    return HallucinationEnergy(embedder(name), rank_of(victim) or _DEFAULT_RANK)


def embedder_name(victim: Victim) -> str | None:
    """Return the name of the embedder that a contract's detector works with, None where it needs none.

    Raises VictimError where the detector is unknown, or an embedder is given to one that needs none.
    """
    if victim.detector in {_ENERGY, _COSINE}:
        return victim.embedder or DEFAULT_EMBEDDER
    if victim.detector not in {_OVERLAP, _GROUNDING} and not is_own(victim):
        raise VictimError("unknown detector", field="victim.detector", allowed=_ALLOWED, got=victim.detector)
    if victim.embedder is not None:
        raise _makes_no_sense("embedder", victim.embedder, f"only with the detectors {_ENERGY} and {_COSINE}")
    return None


def rank_of(victim: Victim) -> Rank | None:
    """Return the rank that a contract's detector works with, None where it has none."""
    return (victim.rank or _DEFAULT_RANK) if victim.detector == _ENERGY else None


def is_own(victim: Victim) -> bool:
    """Tell whether a contract's detector is a user's own."""
    module, _, attribute = victim.detector.partition(":")
    return bool(module and attribute)


def own_source(victim: Victim) -> bytes | None:
    """Return the source of a loaded user's own detector's module, None where it has no file or is built in."""
    return source_of(victim.detector) if is_own(victim) else None


class _FunctionDetector:
    def __init__(self, function: Callable[[Sequence[Pair]], Sequence[float]]) -> None:
        self._function = function

    def score(self, pairs: Sequence[Pair]) -> Sequence[float]:
        return self._function(pairs)


def _own(name: str) -> Detector:
    found = named(name, partial(_unusable, name))
    if inspect.isclass(found):
        try:
            found = found()
        except (Exception, SystemExit) as error:
            raise _unusable(name, f"cannot be called without arguments: {error}") from error
    if callable(getattr(found, "score", None)):
        return cast("Detector", found)
    if callable(found):
        return _FunctionDetector(found)
    raise _unusable(name, f"is a {type(found).__name__} that has no method `score` and is no function")


def _unusable(name: str, why: str, allowed: str | None = None) -> VictimError:
    return VictimError(
        why,
        field="victim.detector",
        allowed=allowed,
        got=name,
        hint="give module:attribute of a class, an object with `score(pairs)`, or a function `(pairs) -> scores`",
    )


def _makes_no_sense(field: str, got: object, allowed: str) -> VictimError:
    return VictimError(
        "the detector does not use it", field=f"victim.{field}", allowed=allowed, got=got, hint="leave it out"
    )
