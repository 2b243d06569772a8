"""A persona's report: its figures as JSON, as Markdown and on a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from pydantic import Field

from confute.harness.judging.failures import Failure, failed_verdicts, failures_of, failures_part
from confute.harness.judging.page import Page, Part, markdown
from confute.harness.persona.declining import declined
from confute.harness.persona.figures import ProbeFigures, Stability, SuiteFigures, probe_figures, suite_figures
from confute.harness.persona.run import Measured
from confute.harness.render import words
from confute.judges.rules.abstention import AbstentionRates
from confute.records import Record


class PersonaReport(Record):
    """Everything that a run measured, and whether it covers enough."""

    persona: str
    model: str
    judge: str
    seed: int
    repeat: int
    judge_repeats: int
    digest: str
    ledger: str
    min_coverage: float = Field(ge=0, le=1)
    probes: tuple[ProbeFigures, ...]
    suite: SuiteFigures
    declined: AbstentionRates
    failures: tuple[Failure, ...] = ()

    @property
    def covers_enough(self) -> bool:
        """Whether the share of runs that completed is at or above the floor."""
        return self.suite.coverage is not None and self.suite.coverage >= self.min_coverage

    def to_json(self) -> str:
        """Return the report as JSON, without any number that JSON lacks."""
        return json.dumps(self.model_dump(mode="json"), ensure_ascii=False, indent=2, allow_nan=False) + "\n"

    def page(self) -> Page:
        """Return the report as a page."""
        return Page(f"Persona {self.persona}", tuple(self._warnings()), tuple(self._lines()), tuple(self._parts()))

    def _warnings(self) -> Iterator[str]:
        if not self.covers_enough:
            yield (
                f"covers {self.suite.covered} of {self.suite.planned} runs ({words.percent(self.suite.coverage)}), "
                f"and the floor is {self.min_coverage:g}"
            )
        if self.declined.tells_apart is False:
            yield "declines what it should answer about as often as what it should not: its refusals say little"
        for one in self.probes:
            if one.judge is not None and one.judge_unstable:
                yield (
                    f"{one.id}: judge unstable on {one.judge.unstable} of {one.judge.conversations} conversations "
                    "judged again; mend the judge before the persona's flake is read"
                )
        for one in self.probes:
            if one.state is Stability.UNTOLD and not one.judge_unstable:
                yield f"{one.id}: no run gave an outcome; ask it otherwise, or mend its check"

    def _lines(self) -> Iterator[str]:
        suite = self.suite
        yield f"model {self.model}, {self.repeat} runs of each of {len(self.probes)} probes, seed {self.seed}"
        yield f"disclosure judged by {self.judge}, {self.judge_repeats} times each"
        untold = f"errors: {_counted(suite.errors)}; undetermined: {suite.undetermined}"
        yield f"covered {suite.covered}/{suite.planned}; {untold}"
        yield ", ".join(f"{count} {state}" for state, count in suite.states.items())
        yield f"pass rate {words.estimate(suite.pass_rate)}, over facts and rules"
        yield f"pass@{suite.k} {words.estimate(suite.pass_at_k)}, pass^{suite.k} {words.estimate(suite.pass_hat_k)}"
        yield f"disagreement D {words.estimate(suite.disagreement)}"
        both = self.declined
        yield (
            f"declined {both.abstained_unanswerable}/{both.unanswerable} of what it should decline, "
            f"{both.abstained_answerable}/{both.answerable} of what it should answer"
        )
        if suite.two_level is not None:
            levels = suite.two_level
            yield (
                f"two judgings of one conversation differ with chance {words.decimal(levels.inner)}, the judge's "
                f"flake, of two conversations {words.decimal(levels.total)}; "
                f"the persona adds {words.decimal(levels.outer)}"
            )

    def _parts(self) -> Iterator[Part]:
        k = self.suite.k
        head = ("probe", "kind", "state", "passed", "95 %", "D", f"pass@{k}", f"pass^{k}", "errors", "untold")
        rows = tuple(_checked_row(one) for one in self.probes if one.passes is not None)
        yield Part("Facts and rules", head, rows)
        shown = ("probe", "state", "labels", "modal", "share", "D", "entropy, bits", "conflicts", "errors", "untold")
        yield Part("Disclosure", shown, tuple(_label_row(one) for one in self.probes if one.passes is None))
        failures = ((one.id, reason, str(count)) for one in self.probes for reason, count in one.failures.items())
        yield Part("Why probes failed", ("probe", "reason", "runs"), tuple(failures))
        yield failures_part(self.failures)


def report(measured: Measured, *, k: int, min_coverage: float) -> PersonaReport:
    """Return the report of a run, and write it beside its ledger as `report.json` and `report.md`."""
    probes = probe_figures(measured, k)
    made = PersonaReport(
        persona=measured.suite.persona.name,
        model=measured.suite.persona.model.model,
        judge=measured.judge,
        seed=measured.plan.seed,
        repeat=measured.plan.repeat,
        judge_repeats=measured.plan.judge_repeats,
        digest=measured.suite.digest,
        ledger=measured.ledger,
        min_coverage=min_coverage,
        probes=probes,
        suite=suite_figures(measured, probes, k),
        declined=declined(measured),
        failures=failures_of([*_failed_conversations(measured), *_failed_judgings(measured)]),
    )
    (measured.folder / "report.json").write_text(made.to_json(), encoding="utf-8", errors="replace")
    (measured.folder / "report.md").write_text(markdown(made.page()), encoding="utf-8", errors="replace")
    return made


def _failed_conversations(measured: Measured) -> Iterator[tuple[str, str]]:
    yield from ((one.code.value, one.detail) for one in measured.transcripts.values() if not one.whole)


def _failed_judgings(measured: Measured) -> Iterator[tuple[str, str]]:
    yield from failed_verdicts(one.verdict for some in measured.judgements.values() for one in some)


def _checked_row(one: ProbeFigures) -> tuple[str, ...]:
    interval = words.DASH if one.low is None or one.high is None else f"{one.low * 100:.0f}–{one.high * 100:.0f} %"
    return (
        one.id,
        f"{one.kind}, {one.language}",
        _state(one),
        f"{one.passes}/{one.flake.n}",
        interval,
        words.decimal(one.flake.disagreement),
        words.decimal(one.pass_at_k),
        words.decimal(one.pass_hat_k),
        _counted(one.errors),
        _counted(one.undetermined),
    )


def _label_row(one: ProbeFigures) -> tuple[str, ...]:
    return (
        one.id,
        _state(one),
        _counted(one.flake.counts),
        one.flake.modal or words.DASH,
        words.decimal(one.flake.modal_share),
        words.decimal(one.flake.disagreement),
        words.decimal(one.flake.entropy_bits),
        str(one.conflicts),
        _counted(one.errors),
        _counted(one.undetermined),
    )


def _state(one: ProbeFigures) -> str:
    return "judge unstable" if one.judge_unstable and one.state is not Stability.ERRORED else one.state.value


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "none"
