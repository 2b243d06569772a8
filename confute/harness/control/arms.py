"""The arms of a control, built from labelled claims: from the built-in facts, or from a user's own records."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from confute.edits import edited
from confute.harness.control.alter import checkable, drifted, sign_flipped, unit_swapped
from confute.harness.control.probe import ControlArm, Material, Probe
from confute.oracles.oracle import MoveSource
from confute.records import AttackGoal, Case, Edit, Label, Mechanism, Pair
from confute.victims.grounding.prose import quantities

DRIFTS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""The shares that a number is moved by, up or down; within 3 % a number counts as rounded, and gates nothing."""

_OF_TEXT = {
    ControlArm.ROLE_SWAPPED: (Mechanism.ROLE_SWAP, Mechanism.CAUSAL),
    ControlArm.NEGATED: (Mechanism.POLARITY,),
    ControlArm.ENTITY_SWAPPED: (Mechanism.BINDING,),
    ControlArm.STALE_DATE: (Mechanism.TEMPORAL,),
}
_FILLER = (
    "Further details will follow in due course, and readers are welcome to write in with questions of their own.",
    "As ever, much depends on the circumstances, and opinions on the matter differ among those who follow it closely.",
    "The matter has been discussed at length elsewhere, and this short note does not attempt to settle it.",
)
_PARAPHRASES = 2
_DENIED = re.compile(r"\b(?:not|never|no|neither|nor|cannot|without)\b|n['\u2019]t\b", re.IGNORECASE)


def material(cases: Sequence[Case], moves: MoveSource | None, seed: int, source: str, per_record: int = 2) -> Material:
    """Return the probes that supported cases give: of each source, `per_record` cases with a number to check.

    As many again are taken that have a sign or a direction. Faithful texts are paraphrases that the moves vouch for,
    or else the claims as people wrote them; text arms need the moves. Unrelated texts are claims of other sources with
    as many checkable numbers, against evidence that says nothing of them. What cannot be built is left out and counted.
    """
    chosen = _chosen(cases, per_record, seed)
    left_out: Counter[str] = Counter()
    probes: list[Probe] = []
    for case in chosen:
        for arm, drift, claim in _texts(case, chosen, moves, f"{seed}/control-arms/{case.case_id}"):
            if claim is None:
                left_out[arm] += 1
            else:
                pair = Pair(claim=claim, evidence=case.evidence)
                probes.append(Probe(record=case.group, arm=arm, drift=drift, pair=pair))
    return Material(source=source, probes=tuple(probes), left_out=dict(sorted(left_out.items())))


def _chosen(cases: Sequence[Case], per_record: int, seed: int) -> list[Case]:
    """Return supported cases with a number first, some of each source, drawn by the seed."""
    shuffled = sorted(cases, key=lambda case: case.case_id)
    random.Random(f"{seed}/control-cases").shuffle(shuffled)  # noqa: S311  reproducible, no secret
    taken: Counter[tuple[str, bool]] = Counter()
    chosen = []
    for case in shuffled:
        kind = (case.group, sign_flipped(case.claim) is not None)
        usable = case.label is Label.SUPPORTED and case.evidence and _is_usable(case.claim)
        if usable and taken[kind] < per_record:
            taken[kind] += 1
            chosen.append(case)
    return chosen


def _is_usable(claim: str) -> bool:
    """Tell whether a claim states a number: denied, another number would leave it true."""
    return bool(checkable(claim)) and _DENIED.search(claim) is None


def _texts(
    case: Case, others: Sequence[Case], moves: MoveSource | None, seed: str
) -> Iterator[tuple[ControlArm, float | None, str | None]]:
    draw = random.Random(seed)  # noqa: S311  reproducible, no secret
    for claim in _faithful(case, moves, draw):
        yield ControlArm.FAITHFUL, None, claim
    stated = {one.value for passage in case.evidence for one in quantities(passage) if one.skipped is None}
    for drift in DRIFTS:
        up = draw.random() < 0.5
        signed = (drift, -drift) if up else (-drift, drift)
        found = next(((one, text) for one in signed if (text := drifted(case.claim, one, stated)) is not None), None)
        yield ControlArm.CORRUPTED, drift, None if found is None else found[1]
    yield ControlArm.SIGN_FLIPPED, None, sign_flipped(case.claim)
    yield ControlArm.UNIT_SWAPPED, None, unit_swapped(case.claim)
    yield ControlArm.UNRELATED, None, _unrelated(case, others, draw)
    yield ControlArm.FILLER, None, " ".join(draw.sample(_FILLER, draw.randint(1, len(_FILLER))))
    yield from ((arm, None, text) for arm, text in _of_text(case, moves, draw).items())


def _faithful(case: Case, moves: MoveSource | None, draw: random.Random) -> Iterator[str]:
    offered = list(moves.moves(case, AttackGoal.FALSE_REJECTION)) if moves is not None else []
    draw.shuffle(offered)
    texts = (text for edit in offered if (text := edited(case.claim, (edit,))) is not None)
    paraphrased = list(islice(texts, _PARAPHRASES))
    yield from paraphrased or [case.claim]


def _unrelated(case: Case, others: Sequence[Case], draw: random.Random) -> str | None:
    """Return a claim of another source with as many checkable numbers and none of this one's, or None."""
    count = len(checkable(case.claim))
    stated = {one.value for passage in case.evidence for one in quantities(passage)}
    foreign = [
        other.claim
        for other in others
        if other.group != case.group
        and other.domain != case.domain
        and len(found := checkable(other.claim)) == count
        and not stated & {one.value for one in found}
    ] or [other.claim for other in others if other.group != case.group and len(checkable(other.claim)) == count]
    return draw.choice(foreign) if foreign else None


def _of_text(case: Case, moves: MoveSource | None, draw: random.Random) -> Mapping[ControlArm, str | None]:
    offered: Sequence[Edit] = moves.moves(case, AttackGoal.FALSE_ACCEPTANCE) if moves is not None else ()
    drawn = {}
    for arm, mechanisms in _OF_TEXT.items():
        fitting = [edit for edit in offered if edit.mechanism in mechanisms]
        drawn[arm] = edited(case.claim, (draw.choice(fitting),)) if fitting else None
    return drawn


def together(parts: Sequence[Material], source: str) -> Material:
    """Return the probes of several materials, whose records must be different ones, as one."""
    left_out: Counter[str] = Counter()
    for part in parts:
        left_out.update(part.left_out)
    probes = tuple(probe for part in parts for probe in part.probes)
    return Material(source=source, probes=probes, left_out=dict(sorted(left_out.items())))
