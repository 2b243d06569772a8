"""A policy from a contract's detector and labelled claims: chosen on some source groups, measured on the rest."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from confute.contract import AttackContract
from confute.harness.arena import Embedders, gathered, marks
from confute.harness.authorization import check_authorized
from confute.harness.campaign import Progress
from confute.harness.mining.sources import joined
from confute.harness.policy.choosing import Chosen, Targets, choose
from confute.harness.policy.measuring import Measured, measure
from confute.victims import load as victims
from confute.victims.calibration import check_disjoint, split
from confute.victims.isolation import IsolatedDetector

FALSE_REJECTIONS = (0.01, 0.02, 0.05, 0.1, 0.2)
"""The bounds on false rejection whose costs are shown."""


def chosen_and_measured(  # noqa: PLR0913  one parameter for each option
    contract: AttackContract,
    data: Path | None,
    cache: Path | None,
    targets: Targets,
    *,
    share: float,
    base_rates: Sequence[float],
    progress: Progress,
) -> Measured:
    """Return the policy of a contract's victim, and what it does on claims of other sources.

    Groups that share a source are joined before the split, so that no source is on both sides. Raises the errors of
    `confute.harness.arena.prepare`, and CalibrationError where no policy can be chosen.
    """
    progress.begin("prepare", 1)
    material = gathered(contract, data)
    cases = joined(material.cases, marks(contract, material)).cases
    seed = contract.evaluation.seed
    calibration, rest = split(cases, share, seed)
    check_disjoint(calibration, rest)
    detector = victims.load(contract.victim, Embedders(cache).load)
    check_authorized(contract, detector)
    asked = IsolatedDetector(detector, contract.victim)
    progress.advance(1)
    progress.begin("calibrate", 1)
    known = asked.measure([case.pair for case in calibration])

    def at(false_rejection: float) -> Chosen:
        wanted = targets.model_copy(update={"false_rejection": false_rejection})
        return choose(calibration, known, wanted, detector=contract.victim.detector, version=contract.victim.version)

    chosen, alternatives = at(targets.false_rejection), [at(target) for target in FALSE_REJECTIONS]
    progress.advance(1)
    progress.begin("measure", 1)
    scores = asked.measure([case.pair for case in rest])
    progress.advance(1)
    return measure(chosen, alternatives, rest, scores, base_rates=base_rates, seed=seed)
