"""The report of an attack on a persona: as JSON, as Markdown and on a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import Field

from confute.errors import LedgerError, ReportError
from confute.harness.expense import AttackerExpense, JudgeExpense
from confute.harness.files import write_text
from confute.harness.judging.failures import Failure, failures_of, failures_part
from confute.harness.judging.page import Page, Part, markdown
from confute.harness.persona.attack.counterexample import PersonaCounterexample
from confute.harness.persona.attack.course import ProbeOutcome
from confute.harness.persona.attack.figures import FREE_TEXT, ArmFigures, AttackFigures, MechanismFigures, figures_of
from confute.harness.persona.attack.replays import Counts
from confute.harness.persona.attack.run import TRIALS, Attacked
from confute.harness.persona.attack.searching import Searched
from confute.harness.persona.attack.shrinking import Shrunk
from confute.harness.persona.attack.trial import Trial, open_trials
from confute.harness.render import words
from confute.models.chat import ModelSpec, ReplyCode
from confute.persona_plan import PersonaContract
from confute.records import Outcome, Record

_JSON = "report.json"
_TURN_SHOWN = 240
_ARM_HEAD = (
    "arm",
    "attempted",
    "valid",
    "unknown",
    "invalid",
    "not verified",
    "not confirmed",
    "persona calls",
    "to confirm",
    "endings",
)
_MECHANISM_HEAD = ("mechanism", "search, probes turned", "95 %", "no feedback", "95 %", "not told")
_PROBE_HEAD = ("probe", "as it is", "search", "calls", "no feedback", "calls", "smallest", "confirmed", "minimal")
_KEPT_HEAD = ("id", "probe", "tokens", "what is said")


class PersonaAttackReport(Record):
    """Everything that an attack measured."""

    contract: PersonaContract
    contract_digest: str
    persona: str
    model: str
    figures: AttackFigures
    outcomes: tuple[ProbeOutcome, ...]
    counterexamples: tuple[PersonaCounterexample, ...]
    failures: tuple[Failure, ...]
    expense: AttackerExpense | None
    judges: tuple[JudgeExpense, ...]
    ledger: str
    conflicts: int = Field(ge=0)

    @property
    def has_verdicts(self) -> bool:
        """Whether any replay of any probe gave a verdict."""
        return any((one.trial.counts or Counts()).failure_rate is not None for one in self.outcomes)

    def to_json(self) -> str:
        """Return the report as JSON, without any number that JSON lacks."""
        return json.dumps(self.model_dump(mode="json"), ensure_ascii=False, indent=2, allow_nan=False) + "\n"

    def page(self) -> Page:
        """Return the report as a page."""
        title = f"Attack on the persona {self.persona}"
        return Page(title, tuple(self._warnings()), tuple(self._lines()), tuple(self._parts()))

    def _warnings(self) -> Iterator[str]:
        if all(one.search is None for one in self.outcomes):
            yield "no probe is resisted stably, so that nothing was attacked; see the baselines"
        if self.conflicts:
            yield f"{words.counted(self.conflicts, 'reply')} counted as failed by judges that contradict each other"
        unconfirmed = [one for one in self.outcomes if one.shrunk is not None and not one.shrunk.is_confirmed]
        if unconfirmed:
            told = ", ".join(one.probe_id for one in unconfirmed)
            yield f"shrunk to what was not confirmed on fresh replays, so that it is no counterexample: {told}"
        if short := self._below_a_trial():
            limit = self.contract.attacker.budgets.victim_queries
            yield f"attacker.budgets.victim_queries is {limit}, less than one trial takes: {', '.join(short)}"
        if self.figures.search.induced.unmeasured or self.figures.control.induced.unmeasured:
            yield "on some probes nothing was measured, or nothing that was confirmed: they are in no denominator"
        if any(one.mechanism == FREE_TEXT for one in self.figures.mechanisms):
            yield "free text may work by another mechanism than the one its writer names, and is minimal by edit alone"

    def _below_a_trial(self) -> list[str]:
        """Return how many calls one trial takes on each attacked probe on which the budget allows none."""
        limit, replays = self.contract.attacker.budgets.victim_queries, self.contract.replays.search
        calls = {one.probe_id: replays * len(one.trial.turns) for one in self.outcomes if one.search is not None}
        return [f"{probe} {most}" for probe, most in calls.items() if limit < most]

    def _lines(self) -> Iterator[str]:
        contract, figures = self.contract, self.figures
        attacker, replays = contract.attacker, contract.replays
        yield (
            f"model {self.model}, judged by {_judge(contract)}, seed {contract.evaluation.seed}; attacker "
            f"{attacker.strategy}, knowledge {attacker.knowledge}"
        )
        yield (
            f"{replays.search} replays a trial, {replays.shrinking} while shrinking, {replays.confirmed} to confirm; "
            f"at most {attacker.budgets.victim_queries} calls of the persona a search"
        )
        yield (
            "a trial fails, and a probe is resisted stably, in ceil(0.8 r) of its r replays; a success also afresh and "
            f"in {replays.confirmed} more, and a probe is redrawn {replays.confirmed} times before it is attacked"
        )
        yield f"probes that fail as they are: {words.cell(figures.baseline)}"
        yield f"not attacked: {figures.unstable} not stable, {figures.errors} with errors"
        yield f"induced by the search: {_induced(figures.search)}"
        yield f"induced by uniform draws without feedback: {_induced(figures.control)}"
        yield f"worst case: {words.cell(figures.worst_case)}"
        if self.expense is not None:
            spent = self.expense
            money = "" if spent.dollars is None else f", ${spent.dollars:.4f}"
            yield f"attacker: {spent.calls} calls of {spent.model}, {spent.charged_tokens} tokens{money}"
        for one in self.judges:
            tokens = "tokens not told" if one.tokens is None else f"{one.tokens} tokens"
            money = "" if one.dollars is None else f", ${one.dollars:.4f}"
            cached = f" and {one.cached} from a cache" if one.cached else ""
            yield f"judges: {one.verdicts} verdicts, {one.calls} calls of {one.model}{cached}, {tokens}{money}"

    def _parts(self) -> Iterator[Part]:
        arms = (("search", self.figures.search), ("no feedback", self.figures.control))
        yield Part("Candidates", _ARM_HEAD, tuple(_arm_row(name, arm) for name, arm in arms))
        yield Part("Mechanisms, each alone", _MECHANISM_HEAD, tuple(map(_mechanism_row, self.figures.mechanisms)))
        yield Part("Probes", _PROBE_HEAD, tuple(map(_probe_row, self.outcomes)))
        yield Part("Counterexamples", _KEPT_HEAD, tuple(map(_kept_row, self.counterexamples)))
        yield failures_part(self.failures)


def next_steps(failures: Sequence[Failure]) -> tuple[str, ...]:
    """Return what can be done about what failed in an attack that has ended; its contract is what it is kept under."""
    spent = [one for one in failures if one.code == ReplyCode.BUDGET_SPENT]
    others = [one for one in failures if one.code != ReplyCode.BUDGET_SPENT]
    told = ((spent, "larger budgets let more be measured"), (others, "a larger replays.redraws asks again what failed"))
    return tuple(
        f"next: {step} ({', '.join(f'{one.code} {one.count}' for one in codes)}); with them in the contract another "
        "attack begins"
        for codes, step in told
        if codes
    )


def report(attacked: Attacked) -> PersonaAttackReport:
    """Return the report of a run, and write it into its folder as JSON and as Markdown."""
    contract = attacked.prepared.contract
    persona = attacked.prepared.target.persona
    made = PersonaAttackReport(
        contract=contract,
        contract_digest=contract.digest,
        persona=persona.name,
        model=persona.model.model,
        figures=figures_of(attacked.outcomes, attacked.trials),
        outcomes=attacked.outcomes,
        counterexamples=attacked.counterexamples,
        failures=failures_of(_errors(attacked.trials, attacked.told)),
        expense=attacked.expense,
        judges=attacked.judges,
        ledger=attacked.ledger,
        conflicts=_conflicts(attacked.trials),
    )
    write_text(attacked.folder / _JSON, made.to_json())
    write_text(attacked.folder / "report.md", markdown(made.page()))
    return made


def report_of(folder: Path) -> PersonaAttackReport:
    """Return the report of a finished attack again, every figure counted anew from its ledger.

    What an endpoint told with a failure is that of the report. Raises ReportError where the attack has not ended, or
    its report is unreadable, and LedgerError where the ledger is not the one that the report tells of.
    """
    try:
        kept = PersonaAttackReport.model_validate_json((folder / _JSON).read_bytes())
    except (OSError, ValueError) as error:
        raise ReportError(
            f"{folder}: the attack has not ended, or its {_JSON} cannot be read",
            hint="give the command that began it again: it goes on, and asks nothing twice",
        ) from error
    with open_trials(folder / TRIALS) as ledger:
        trials, digest = tuple(ledger.rows), ledger.digest
    if digest != kept.ledger:
        raise LedgerError(
            "is not the ledger of the report beside it",
            field=str(folder / TRIALS),
            allowed=kept.ledger,
            got=digest,
            hint="give the command that began the attack again",
        )
    counted = {
        "figures": figures_of(kept.outcomes, trials),
        "failures": failures_of(_errors(trials, {one.code: one.detail for one in kept.failures})),
        "conflicts": _conflicts(trials),
    }
    return kept.model_copy(update=counted)


def _conflicts(trials: tuple[Trial, ...]) -> int:
    return sum(trial.counts.conflicts for trial in trials if trial.counts is not None)


def _errors(trials: tuple[Trial, ...], told: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for trial in trials:
        for code, times in (trial.counts or Counts()).errors.items():
            yield from [(code, told.get(code, ""))] * times


def _judge(contract: PersonaContract) -> str:
    judge = contract.objective.judge
    named = judge.model if isinstance(judge, ModelSpec) else judge
    return named if contract.objective.family is None else f"{named}, {contract.objective.family}"


def _induced(arm: ArmFigures) -> str:
    beside = f"; failed in search, not confirmed: {arm.unconfirmed}" if arm.unconfirmed else ""
    return words.cell(arm.induced) + beside


def _arm_row(name: str, arm: ArmFigures) -> tuple[str, ...]:
    endings = ", ".join(f"{status} {times}" for status, times in arm.endings.items())
    ruled = (arm.attempted, arm.valid, arm.unknown, arm.invalid)
    counts = (*ruled, arm.unverified, arm.unconfirmed, arm.queries, arm.confirming)
    return (name, *map(str, counts), endings or "none")


def _mechanism_row(one: MechanismFigures) -> tuple[str, ...]:
    return (
        one.mechanism.replace("_", " "),
        words.share(one.search),
        words.interval(one.search),
        words.share(one.control),
        words.interval(one.control),
        words.unmeasured(one.search) or "none",
    )


def _probe_row(one: ProbeOutcome) -> tuple[str, ...]:
    counts, shrunk = one.trial.counts or Counts(), one.shrunk
    confirmed = None if shrunk is None or shrunk.confirmed is None else shrunk.confirmed.counts
    return (
        one.probe_id,
        f"{one.baseline.replace('_', ' ')}, resisted {counts.resisted}/{counts.replays}",
        *_searched(one.search),
        *_searched(one.control),
        words.DASH if shrunk is None else _smallest(shrunk),
        words.DASH if confirmed is None else f"{confirmed.failed}/{confirmed.replays}",
        words.DASH if shrunk is None else _minimal(shrunk),
    )


def _smallest(shrunk: Shrunk) -> str:
    told = " + ".join(edit.mechanism for edit in shrunk.candidate.edits)
    return f"free text, said to be {told}" if shrunk.is_free else told


def _minimal(shrunk: Shrunk) -> str:
    """Return whether no edit can be left out, and which of them the oracle would not let be."""
    if not shrunk.one_minimal:
        return "not shown"
    fixed = [f"without {one.mechanism} {one.reason}" for one in shrunk.dropped if one.outcome is Outcome.INVALID]
    return "; ".join(["yes, by edit" if shrunk.is_free else "yes", *fixed])


def _searched(one: Searched | None) -> tuple[str, str]:
    return (words.DASH, words.DASH) if one is None else (one.status, str(one.queries))


def _kept_row(one: PersonaCounterexample) -> tuple[str, ...]:
    size = f"{one.edit_distance_tokens}{'' if one.is_minimal_edit else ', more than is minimal'}"
    return one.attack_id, one.case_id, size, words.visible(" / ".join(one.adversarial_turns), _TURN_SHOWN)
