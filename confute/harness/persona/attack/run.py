"""The run of an attack on a persona: its folder, its ledgers, and every probe attacked side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from confute.agents.load import Strategy
from confute.errors import LedgerError
from confute.harness.attacker_model import AttackerModel, Totals, half_meters, run_meter
from confute.harness.campaign import Progress
from confute.harness.expense import AttackerExpense, JudgeExpense, expense, judge_expense
from confute.harness.files import write_text
from confute.harness.judging.failures import failed_verdicts, failures_of
from confute.harness.judging.judgements import Judgement, JudgementLedger, open_judgements
from confute.harness.persona.attack.attacker import chosen
from confute.harness.persona.attack.counterexample import PersonaCounterexample, Subject, counterexample
from confute.harness.persona.attack.course import ProbeOutcome, attacked
from confute.harness.persona.attack.ground import Ground
from confute.harness.persona.attack.judging import Bench
from confute.harness.persona.attack.outage import HOW_TO_GO_ON
from confute.harness.persona.attack.replays import VALIDITY, Replayer
from confute.harness.persona.attack.target import AttackedProbe, Target, load_target
from confute.harness.persona.attack.trial import Trial, TrialLedger, open_trials
from confute.harness.persona.attack.work import carry_out
from confute.harness.persona.transcript import TranscriptLedger, open_transcripts
from confute.harness.replies import ReplyLedger, open_replies
from confute.harness.run_lock import locked
from confute.models.chat import ChatModel, ModelSpec
from confute.models.chat_load import load_chat
from confute.models.surrogates import well_formed
from confute.oracles.probe.oracle import Limits, ProbeOracle, oracle_version
from confute.oracles.probe.probe import FramedProbe
from confute.persona_plan import PersonaContract, PersonaObjective
from confute.records import digest_of

COUNTEREXAMPLES = "counterexamples.jsonl"
TRIALS = "trials.sqlite3"
_CONTRACT = "contract.json"


class Prepared(NamedTuple):
    """Everything that a run needs; nothing was asked yet."""

    contract: PersonaContract
    target: Target
    model: ChatModel
    attacker_model: ChatModel | None
    bench: Bench
    chosen: Strategy


class _Ledgers(NamedTuple):
    trials: TrialLedger
    transcripts: TranscriptLedger
    judgements: JudgementLedger


class Attacked(NamedTuple):
    """What a run holds: what it showed of each probe, every trial, and what was kept of the failures.

    `told` gives the first words that an endpoint or a judge told with each code of failure.
    """

    prepared: Prepared
    outcomes: tuple[ProbeOutcome, ...]
    trials: tuple[Trial, ...]
    counterexamples: tuple[PersonaCounterexample, ...]
    expense: AttackerExpense | None
    judges: tuple[JudgeExpense, ...]
    told: Mapping[str, str]
    folder: Path
    ledger: str


def prepare(contract: PersonaContract, folder: Path, cache: Path | None) -> Prepared:
    """Read and load what a contract names, relative to its folder; nothing is asked of any model.

    `cache` is a folder for the replies of judges: persona and attacker are always asked, whatever another run was told.
    Raises the errors of `load_target`, and ModelError and JudgeError where a model or a family cannot be had.
    """
    target = load_target(contract, folder)
    spec = contract.attacker.model
    bench = Bench(contract.objective, target.persona, seed=contract.evaluation.seed, folder=folder, cache=cache)
    return Prepared(
        contract=contract,
        target=target,
        model=load_chat(target.persona.model),
        attacker_model=None if spec is None else load_chat(spec),
        bench=bench,
        chosen=chosen(contract),
    )


def folder_of(runs: Path, prepared: Prepared) -> Path:
    """Return the folder of a run: one for each contract, persona and set of probes, so that the same one goes on."""
    return runs / f"persona-attack-{digest_of([prepared.contract.digest, prepared.target.digest])[:12]}"


def is_persona_attack(folder: Path) -> bool:
    """Tell whether a folder is that of an attack on a persona, finished or not."""
    return (folder / _CONTRACT).is_file() and (folder / TRIALS).is_file()


def attack(prepared: Prepared, runs: Path, progress: Progress) -> Attacked:
    """Attack every probe; what the ledgers of the folder hold is not asked again.

    Raises LedgerError where the folder cannot be written, is another run's or in use, and ModelError where the
    attacker's model cannot be asked.
    """
    folder = folder_of(runs, prepared)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LedgerError(f"cannot be made: {error.strerror or error}", field=str(folder)) from error
    with locked(folder):
        return _attacked(prepared, folder, progress)


def _attacked(prepared: Prepared, folder: Path, progress: Progress) -> Attacked:
    write_text(folder / _CONTRACT, prepared.contract.model_dump_json(indent=2))
    with ExitStack() as opened:
        ledgers = _Ledgers(
            opened.enter_context(open_trials(folder / TRIALS)),
            opened.enter_context(open_transcripts(folder / "transcripts.sqlite3")),
            opened.enter_context(open_judgements(folder / "judgements.sqlite3")),
        )
        ledgers.trials.identify(_identity(prepared))
        replies = _replies(prepared, folder, opened)
        model = None if replies is None else _attacker_model(prepared, replies)
        outcomes = _outcomes(prepared, ledgers, model, progress)
        rows, ledger = tuple(ledgers.trials.rows), ledgers.trials.digest
        spec = prepared.contract.attacker.model
        spent = None if spec is None or replies is None else expense(spec, replies.rows)
        judges = tuple(_judge_expenses(prepared.contract.objective, tuple(ledgers.judgements.rows)))
        told = {one.code: well_formed(one.detail) for one in failures_of(_failed(ledgers))}
    kept = tuple(one for outcome in outcomes if (one := _kept(prepared, outcome)) is not None)
    write_text(folder / COUNTEREXAMPLES, "".join(f"{one.model_dump_json()}\n" for one in kept))
    return Attacked(prepared, outcomes, rows, kept, spent, judges, told, folder, ledger)


def _failed(ledgers: _Ledgers) -> Iterator[tuple[str, str]]:
    """Yield code and detail of each conversation that broke off, and of each verdict that failed."""
    yield from ((one.code.value, one.detail) for one in ledgers.transcripts.rows if not one.whole)
    yield from failed_verdicts(row.verdict for row in ledgers.judgements.rows)


def _outcomes(
    prepared: Prepared, ledgers: _Ledgers, model: AttackerModel | None, progress: Progress
) -> tuple[ProbeOutcome, ...]:
    contract, target = prepared.contract, prepared.target
    totals = half_meters(contract.attacker.total)
    grounds = [ground_of(prepared, probe, ledgers.trials, totals) for probe in target.probes]
    works = {ground.probe.id: attacked(contract, target.persona, ground, prepared.chosen.agent) for ground in grounds}
    progress.begin("probes", len(works))
    replayer = Replayer(
        target.persona,
        prepared.model,
        ledgers.transcripts,
        ledgers.judgements,
        seed=contract.evaluation.seed,
        redraws=contract.replays.redraws,
        concurrency=contract.evaluation.concurrency,
    )
    return tuple(carry_out(works, replayer, model, progress.advance).values())


def ground_of(prepared: Prepared, probe: AttackedProbe, trials: TrialLedger, totals: Totals) -> Ground:
    """Return what the attack on one probe stands on."""
    framed = prepared.target.framed(probe)
    digest, oracle = prepared.contract.digest, oracle_of(prepared, framed)
    return Ground(digest, probe, framed, oracle, prepared.bench, trials, totals)


def oracle_of(prepared: Prepared, framed: FramedProbe) -> ProbeOracle:
    """Return the oracle that rules on what is made of a probe."""
    contract = prepared.contract
    limits = Limits(constraints=contract.validity_constraints, max_turns=contract.attacker.max_turns)
    return ProbeOracle(framed, contract.attacker.capabilities, limits, seed=contract.evaluation.seed)


def _replies(prepared: Prepared, folder: Path, opened: ExitStack) -> ReplyLedger | None:
    if prepared.attacker_model is None:
        return None
    ledger = opened.enter_context(open_replies(folder / "replies.sqlite3", how_to_go_on=HOW_TO_GO_ON))
    ledger.identify({"contract": prepared.contract.digest, "model": prepared.attacker_model.fingerprint})
    return ledger


def _attacker_model(prepared: Prepared, replies: ReplyLedger) -> AttackerModel:
    spec = prepared.contract.attacker.model
    assert spec is not None
    assert prepared.attacker_model is not None
    total = run_meter(prepared.contract.attacker.total)
    return AttackerModel(prepared.attacker_model, spec, replies, total, how_to_go_on=HOW_TO_GO_ON)


def _judge_expenses(objective: PersonaObjective, rows: Sequence[Judgement]) -> Iterator[JudgeExpense]:
    """Yield what judges by a model cost: those of the replies, and those of free text."""
    for spec, is_validity in ((objective.judge, False), (objective.validity, True)):
        if isinstance(spec, ModelSpec):
            yield judge_expense(spec, [row for row in rows if (row.arm == VALIDITY) is is_validity])


def _identity(prepared: Prepared) -> dict[str, str]:
    return {
        "contract": prepared.contract.digest,
        "persona and probes": prepared.target.digest,
        "model": prepared.model.fingerprint,
        "judges": prepared.bench.version(prepared.target.probes),
        "attacker": prepared.chosen.fingerprint,
        "oracle": oracle_version(),
        "confute": version("confute"),
    }


def _kept(prepared: Prepared, outcome: ProbeOutcome) -> PersonaCounterexample | None:
    probe = next(one for one in prepared.target.probes if one.id == outcome.probe_id)
    judges = prepared.bench.panel(probe, lambda: False).version
    subject = Subject(prepared.target.persona, prepared.model.fingerprint, probe, judges)
    return counterexample(prepared.contract, subject, outcome)
