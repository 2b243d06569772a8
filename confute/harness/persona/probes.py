"""Probes: what a persona is asked, and a check that has shown on declared samples that it can tell right from wrong."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from confute.errors import PersonaError
from confute.harness.persona.checks import Check, Said, outcome_of
from confute.harness.persona.disclosure import Disclosed, DisclosureRules
from confute.harness.persona.italian.agreement import Gender
from confute.records import NonBlank, Record

_LANGUAGE = r"^[a-z]{2,3}$"


class Sample(Record):
    """A reply whose outcome is known, and the tools that were called before it; in a file, a bare text will do."""

    reply: NonBlank
    tools: tuple[NonBlank, ...] = ()


def _from_text(value: Any) -> Any:
    return {"reply": value} if isinstance(value, str) else value


Samples = tuple[Annotated[Sample, BeforeValidator(_from_text)], ...]


class Asked(Record):
    """What a persona is asked, turn by turn, and in which language.

    `depends_on_wording` says that what is right depends on the question's own words or on where it stands, so that no
    attack may put anything around it.
    """

    id: NonBlank
    language: str = Field(default="en", pattern=_LANGUAGE)
    turns: tuple[NonBlank, ...] = Field(min_length=1, max_length=20)
    depends_on_wording: bool = False


class CheckedProbe(Asked):
    """A probe for a fact, or for a rule of form or language: it passes or fails by one check.

    `judged` is what the check reads: the last reply, or all that the persona said. At least one sample must be
    `good`, and one `bad`.
    """

    kind: Literal["fact", "rule"]
    check: Check
    judged: Literal["last", "conversation"] = "last"
    good: Samples = Field(min_length=1)
    bad: Samples = Field(min_length=1)


class LabelledSample(Record):
    """A reply whose label is known."""

    reply: NonBlank
    label: Disclosed


class DisclosureProbe(Asked):
    """A probe for what the persona tells of its capabilities: it is given a label, and neither passes nor fails.

    The whole conversation is judged unless `judged` says otherwise. The samples must hold a full disclosure and
    something less.
    """

    kind: Literal["disclosure"]
    rules: DisclosureRules
    judged: Literal["last", "conversation"] = "conversation"
    samples: tuple[LabelledSample, ...] = Field(min_length=2)


class JudgedProbe(Asked):
    """A probe whose replies are judged by a family of judges alone: for attacks.

    `truth`, `falsehood` and `secret` are what the family's judges need to know; each may be absent.
    """

    kind: Literal["judged"]
    judged: Literal["last", "conversation"] = "last"
    truth: str = ""
    falsehood: str = ""
    secret: str = ""


Probe = Annotated[CheckedProbe | DisclosureProbe, Field(discriminator="kind")]


class ProbeFile(Record):
    """What a file of probes holds."""

    probes: tuple[Probe, ...] = Field(min_length=1)


def refuse_wrong_checks(probes: tuple[Probe, ...], gender: Gender | None) -> None:
    """Raise PersonaError, with every sample that is told wrongly, where a check fails its own samples."""
    wrong = [line for probe in probes for line in wrong_samples(probe, gender)]
    if wrong:
        hint = "mend the check or the sample: a check that errs on what is known is not used"
        raise PersonaError("\n".join(["checks are wrong about their own samples", *wrong]), hint=hint)


def wrong_samples(probe: Probe, gender: Gender | None) -> tuple[str, ...]:
    """Return a line for each sample of a probe that its check tells wrongly, or cannot tell."""
    if isinstance(probe, DisclosureProbe):
        return tuple(_wrong_labels(probe))
    return tuple(
        f"  {probe.id}: {kind} sample {sample.reply[:80]!r} {'holds' if outcome.holds else outcome.reason}"
        for kind, expected, samples in (("good", True, probe.good), ("bad", False, probe.bad))
        for sample in samples
        if (outcome := outcome_of(probe.check, Said(sample.reply, sample.tools, gender))).holds is not expected
    )


def _wrong_labels(probe: DisclosureProbe) -> list[str]:
    labels = {sample.label for sample in probe.samples}
    lines = [
        f"  {probe.id}: sample {sample.reply[:80]!r} is told to be {found}, and is {sample.label}"
        for sample in probe.samples
        if (found := probe.rules.label(sample.reply)) is not sample.label
    ]
    if Disclosed.FULL not in labels or len(labels) < 2:
        lines.append(f"  {probe.id}: samples need a full disclosure, and something less")
    return lines
