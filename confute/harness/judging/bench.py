"""The bench: a panel, measured on cases, in a folder that holds every vote and from which a stopped run goes on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from confute.errors import JudgeError, LedgerError
from confute.harness.files import write_text
from confute.harness.judging.asking import Asker, Question, together
from confute.harness.judging.cases import CaseFile
from confute.harness.judging.failures import Failure, failed_verdicts, failures_of
from confute.harness.judging.figures import Judged
from confute.harness.judging.injections import Injection
from confute.harness.judging.judgements import Judgement, JudgementLedger, open_judgements
from confute.harness.judging.labelling import digest_of_labels, labels_of
from confute.harness.judging.overlap import refuse_overlap
from confute.harness.judging.redteam import RedTeam, probes, red_team
from confute.harness.judging.stability import (
    OWN_WORDING,
    CaseStability,
    Stability,
    case_stability,
    suite,
)
from confute.harness.judging.validation import Validation, assess
from confute.harness.run_lock import locked
from confute.harness.stats.sequential import Sprt, SprtState
from confute.judges.judge import JudgeCase, Panel
from confute.records import Record, digest_of
from confute.verdicts import VerdictState

if TYPE_CHECKING:
    from confute.harness.campaign import Progress

LEDGER = "ledger.sqlite"
"""The file of a measurement's folder that holds its verdicts."""

_VOTES = "votes.jsonl"


@dataclass(frozen=True)
class Seated:
    """A judge by the name under which it is reported, with its panels by wording, the family's own the empty one.

    `question` is the family's, which says what SUCCEEDED means. `identities` are names, such as the model's, by which a
    case could say that the judge itself labelled it; `templates` are the texts of its prompts by name.
    """

    name: str
    panels: Mapping[str, Panel]
    identities: tuple[str, ...] = ()
    templates: Mapping[str, str] = field(default_factory=dict)
    question: str = ""

    @property
    def panel(self) -> Panel:
        """The panel in the family's own wording."""
        return self.panels[OWN_WORDING]


@dataclass(frozen=True)
class Bench:
    """Where a judge is measured: measurements are kept in folders of `runs`, named by all that decides them."""

    judge: Seated
    runs: Path
    progress: Progress
    concurrency: int = 8
    redraws: int = 0
    seed: int = 0


class Measured(Record):
    """A measurement, the folder that holds it, the question that the judge was asked, and why verdicts failed."""

    folder: Path
    digest: str
    question: str = ""
    result: Validation | Stability | RedTeam
    failures: tuple[Failure, ...] = ()


async def validate(bench: Bench, cases: CaseFile) -> Measured:
    """Return how right the panel is on held-out cases, each asked once.

    Raises DatasetError where cases and templates share eight words in a row, JudgeError where the panel is of another
    family, LedgerError where the folder cannot be used.
    """
    refuse_overlap(cases.cases, bench.judge.templates)
    settings = {"labels": digest_of_labels(labels_of(cases.cases))}
    with _opened(bench, "validate", cases, settings) as (folder, ledger):
        bench.progress.begin("validate", len(cases.cases))
        answers = await _asker(bench, ledger).ask_all(Question(case.case_id, case.exhibit) for case in cases.cases)
        result = assess(
            [Judged(case, one.verdict) for case, one in zip(cases.cases, answers, strict=True)],
            judge=bench.judge.name,
            version=bench.judge.panel.version,
            cases_name=cases.name,
            cases_digest=cases.digest,
            identities=bench.judge.identities,
            redrawn=_redrawn(answers),
            seed=bench.seed,
        )
        return _kept(bench, folder, ledger, result, answers)


async def measure_stability(bench: Bench, cases: CaseFile, *, repeats: int = 10, plan: Sprt | None = None) -> Measured:
    """Return how stable the verdicts are: every case so many times in every wording.

    With a plan, each case is asked in the family's own wording until the sequential test answers, and `repeats` is for
    the other wordings. Raises JudgeError for fewer than two repeats or a panel of another family, LedgerError where the
    folder cannot be used.
    """
    if repeats < 2:
        raise JudgeError("one run says nothing of flake", field="k", allowed="at least 2", got=repeats)
    settings = {"repeats": str(repeats), "plan": "none" if plan is None else plan.model_dump_json()}
    with _opened(bench, "stability", cases, settings) as (folder, ledger):
        asker = _asker(bench, ledger)
        others = [name for name in sorted(bench.judge.panels) if name != OWN_WORDING]
        own = repeats if plan is None else plan.cap + 1
        bench.progress.begin("stability", len(cases.cases) * (own + repeats * len(others)))
        work = [(case, name) for name in (OWN_WORDING, *others) for case in cases.cases]
        answers = await together(
            _in_sequence(asker, case, plan, bench.progress)
            if plan is not None and name == OWN_WORDING
            else asker.ask_all(_repeated(case, name, repeats))
            for case, name in work
        )
        result = suite(
            [_case(case, some, name, plan) for (case, name), some in zip(work, answers, strict=True)],
            [one for some in answers for one in some],
            family=cases.family,
            judge=bench.judge.name,
            versions={name or "own": panel.version for name, panel in bench.judge.panels.items()},
            cases_name=cases.name,
            cases_digest=cases.digest,
            repeats=repeats,
            redrawn=_redrawn([one for some in answers for one in some]),
            plan=plan,
            seed=bench.seed,
        )
        return _kept(bench, folder, ledger, result, [one for some in answers for one in some])


async def measure_redteam(
    bench: Bench, cases: CaseFile, injections: Sequence[Injection], *, per_string: int = 2
) -> Measured:
    """Return what strings in the judged text do to the verdicts; each string is tried on so many cases, at 3 positions.

    Raises JudgeError where the panel is of another family or failed on every case, LedgerError where the folder cannot
    be used.
    """
    digest = digest_of([one.model_dump(mode="json") for one in injections])
    settings = {"injections": digest, "per_string": str(per_string)}
    with _opened(bench, "redteam", cases, settings) as (folder, ledger):
        asker = _asker(bench, ledger)
        bench.progress.begin("before", len(cases.cases))
        answers = await asker.ask_all(Question(case.case_id, case.exhibit) for case in cases.cases)
        before = {one.case_id: one for one in answers}
        states = {name: one.verdict.state for name, one in before.items()}
        planned = probes(cases.cases, states, injections, per_string=per_string, seed=bench.seed)
        bench.progress.begin("strings", len(planned))
        asked = await asker.ask_all(probe.question for probe in planned)
        result = red_team(
            list(zip(planned, asked, strict=True)),
            before,
            cases.cases,
            judge=bench.judge.name,
            version=bench.judge.panel.version,
            cases_name=cases.name,
            cases_digest=cases.digest,
            injections_digest=digest,
        )
        return _kept(bench, folder, ledger, result, [*answers, *asked])


async def _in_sequence(asker: Asker, case: JudgeCase, plan: Sprt, progress: Progress) -> tuple[Judgement, ...]:
    answers: list[Judgement] = []
    while len(answers) <= plan.cap:
        answers.append(await asker.ask(Question(case.case_id, case.exhibit, repeat=len(answers))))
        states = [one.verdict.state for one in answers]
        if states[-1] is VerdictState.ERROR or plan.state(states) is not SprtState.OPEN:
            break
    progress.advance(plan.cap + 1 - len(answers))
    return tuple(answers)


def _repeated(case: JudgeCase, wording: str, repeats: int) -> list[Question]:
    return [
        Question(case.case_id, case.exhibit, arm=wording, repeat=repeat, panel=wording) for repeat in range(repeats)
    ]


def _case(case: JudgeCase, answers: Sequence[Judgement], wording: str, plan: Sprt | None) -> CaseStability:
    return case_stability(case, answers, wording, plan if wording == OWN_WORDING else None)


def _asker(bench: Bench, ledger: JudgementLedger) -> Asker:
    return Asker(bench.judge.panels, ledger, bench.progress, concurrency=bench.concurrency, redraws=bench.redraws)


def _redrawn(answers: Sequence[Judgement]) -> int:
    return sum(one.attempt > 0 for one in answers)


@contextmanager
def _opened(
    bench: Bench, kind: str, cases: CaseFile, settings: Mapping[str, str]
) -> Iterator[tuple[Path, JudgementLedger]]:
    if bench.judge.panel.family != cases.family:
        raise JudgeError("is of another family", field="judge", allowed=cases.family, got=bench.judge.panel.family)
    identity = {
        "kind": kind,
        "family": cases.family,
        "judge": bench.judge.name,
        "versions": digest_of({name: panel.version for name, panel in bench.judge.panels.items()}),
        "cases": cases.digest,
        "seed": str(bench.seed),
        **settings,
    }
    folder = bench.runs / f"judge-{kind}-{cases.family}-{digest_of(identity)[:12]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LedgerError(f"{folder}: cannot be made: {error.strerror}") from error
    with locked(folder), open_judgements(folder / LEDGER) as ledger:
        ledger.identify(identity)
        yield folder, ledger


def _kept(
    bench: Bench,
    folder: Path,
    ledger: JudgementLedger,
    result: Validation | Stability | RedTeam,
    answers: Iterable[Judgement],
) -> Measured:
    write_text(folder / _VOTES, "".join(f"{line}\n" for line in ledger.lines()))
    failures = failures_of(failed_verdicts(one.verdict for one in answers))
    question = bench.judge.question
    return Measured(folder=folder, digest=ledger.digest, question=question, result=result, failures=failures)
