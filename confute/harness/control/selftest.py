"""The control of the control: planted bugs against the sound detector, on the same probes."""

from __future__ import annotations

from confute.harness.control.asking import asked
from confute.harness.control.mutants import mutants
from confute.harness.control.page import named
from confute.harness.control.probe import Material
from confute.harness.control.verdict import GATED_DRIFT, ArmResult, Control, control
from confute.harness.judging.page import Page, Part
from confute.records import Record
from confute.victims.grounding import GroundingCheck

_THRESHOLD = 0.5


class Caught(Record):
    """A planted bug, the arms by which it differs from the sound detector, and whether it passes all the same."""

    mutant: str
    arms: tuple[str, ...]
    passed: bool | None

    @property
    def is_told_apart(self) -> bool:
        """Whether the control gives it another verdict, or another word on some arm, than the sound detector."""
        return bool(self.arms)


class SelfTest(Record):
    """The control of the sound detector, and what became of each planted bug."""

    sound: Control
    caught: tuple[Caught, ...]

    @property
    def passed(self) -> bool:
        """Whether the sound detector passes and every planted bug is told from it."""
        return self.sound.passed is True and all(one.is_told_apart for one in self.caught)


def self_test(material: Material, seed: int) -> SelfTest:
    """Return what a control says of the sound detector and of each planted bug, without the sweep of drifts."""
    kept = tuple(probe for probe in material.probes if probe.drift in {None, GATED_DRIFT})
    material = material.model_copy(update={"probes": kept})
    sound = control("grounding", material, asked(GroundingCheck(), material.probes, seed=seed), _THRESHOLD)
    found = []
    for name, mutant in mutants().items():
        scores = asked(mutant, material.probes, seed=seed)
        mutated = control(name, material, scores, _THRESHOLD)
        found.append(Caught(mutant=name, arms=_differing(sound, mutated), passed=mutated.passed))
    return SelfTest(sound=sound, caught=tuple(found))


def _differing(sound: Control, mutated: Control) -> tuple[str, ...]:
    return tuple(
        named(theirs) for ours, theirs in zip(sound.arms, mutated.arms, strict=True) if _is_other(ours, theirs)
    )


def _is_other(ours: ArmResult, theirs: ArmResult) -> bool:
    """Tell whether an arm's word differs, or its share lies outside the interval of the sound detector's."""
    if ours.as_it_should is not theirs.as_it_should:
        return True
    low, high, share = ours.flagged.low, ours.flagged.high, theirs.flagged.value
    return low is not None and high is not None and share is not None and not low <= share <= high


def page(found: SelfTest) -> Page:
    """Return a self-test as a page."""
    rows = tuple((one.mutant, "yes" if one.is_told_apart else "NO", "; ".join(one.arms)) for one in found.caught)
    told = sum(one.is_told_apart for one in found.caught)
    lines = (
        f"the sound detector {'passes' if found.sound.passed else 'does not pass'}; "
        f"{told} of {len(found.caught)} planted bugs are told from it",
    )
    return Page(
        "control of the control", (), lines, (Part("planted bugs", ("bug", "told apart", "by the arms"), rows),)
    )
