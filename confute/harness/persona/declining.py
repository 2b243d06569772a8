"""What a persona declines of what it should answer, beside what it declines of what it should not."""

from __future__ import annotations

from confute.harness.persona.checks import Refuses, Said
from confute.harness.persona.probes import CheckedProbe
from confute.harness.persona.run import Measured
from confute.judges.rules.abstention import AbstentionRates

_USUAL_WORDS = Refuses(check="refuses")


def declined(measured: Measured) -> AbstentionRates:
    """Return both rates over the runs of facts and rules that completed.

    What should be declined are the probes whose check is `refuses`; whoever declines everything passes all of those.
    """
    counts = {True: [0, 0], False: [0, 0]}
    for probe in measured.suite.probes:
        if not isinstance(probe, CheckedProbe):
            continue
        declared = probe.check if isinstance(probe.check, Refuses) else None
        should = declared is not None and declared.expected
        words = (declared or _USUAL_WORDS).model_copy(update={"expected": True})
        for repeat in range(measured.plan.repeat):
            transcript = measured.transcripts[probe.id, repeat]
            if transcript.whole:
                counts[should][0] += 1
                counts[should][1] += words.outcome(Said(transcript.said(probe.judged), (), None)).holds is True
    return AbstentionRates(
        answerable=counts[False][0],
        abstained_answerable=counts[False][1],
        unanswerable=counts[True][0],
        abstained_unanswerable=counts[True][1],
    )
