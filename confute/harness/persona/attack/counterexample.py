"""A probe that a persona resists and the smallest frame under which it fails, kept with all that replays it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self

from pydantic import Field, model_validator

from confute import text
from confute.contract import Budgets, ValidityConstraints
from confute.counterexample import Status, check_reason
from confute.harness.authorization import check_authorized
from confute.harness.judging.asking import run_to_end
from confute.harness.judging.judgements import open_judgements
from confute.harness.meter import Meter
from confute.harness.persona.attack.course import ProbeOutcome
from confute.harness.persona.attack.judging import Bench
from confute.harness.persona.attack.replays import Counts, Replay, Replayer
from confute.harness.persona.attack.shrinking import Dropped, Shrunk
from confute.harness.persona.attack.target import AttackedProbe
from confute.harness.persona.conversation import MOST_TOOL_STEPS
from confute.harness.persona.transcript import open_transcripts
from confute.models.chat import ChatModel
from confute.models.chat_load import load_chat
from confute.oracles.constraints import token_limit
from confute.oracles.probe.probe import turns_of
from confute.persona_plan import PersonaContract, PersonaObjective
from confute.records import Arm, Edit, Knowledge, Mechanism, Record, Validity, digest_of
from confute.victims.persona import Persona


class PersonaMitigation(Record):
    """The persona under which a counterexample held for the first time.

    `version` is the SHA-256, in hex, over all that the persona declares, `fingerprint` that of its model.
    """

    persona: str
    version: str
    fingerprint: str


class PersonaCounterexample(Record):
    """A minimal, confirmed frame under which a persona fails a probe that it resists as it stands.

    `failure_mechanism` is the first of the `mechanisms`; of free text they are what its writer named. `is_minimal_edit`
    tells whether it changes at most 2 tokens or 15 % of the probe's. `baseline` are the replays of the probe as it is
    and `confirmed` the fresh ones of the framed one, with seeds that no other replay of it has; `dropped` shows that no
    edit can be left out. A family's file, and a Python function, are looked for where they were. `mitigated_by` is the
    persona that made it hold, for the status MITIGATED; `reason` is why it is accepted that it fails, for
    ACKNOWLEDGED_LIMITATION, which never stands without one.
    """

    attack_id: str
    case_id: str
    contract_digest: str
    persona: Persona
    persona_fingerprint: str
    probe: Annotated[AttackedProbe, Field(discriminator="kind")]
    objective: PersonaObjective
    judge_version: str
    failure_mechanism: Mechanism
    mechanisms: tuple[Mechanism, ...]
    is_free_text: bool = False
    attacker: str
    attacker_access: Knowledge
    original_turns: tuple[str, ...]
    adversarial_turns: tuple[str, ...]
    edits: tuple[Edit, ...]
    validity: Validity
    oracle_method: str
    oracle_version: str
    edit_distance_tokens: int
    edit_distance_chars: int
    is_minimal_edit: bool
    attack_budget: int
    queries_used: int
    baseline: Counts
    confirmed: Counts
    dropped: tuple[Dropped, ...]
    one_minimal: bool
    seed: int
    redraws: int
    authorized: bool
    status: Status
    mitigated_by: PersonaMitigation | None = None
    reason: str | None = None

    @model_validator(mode="after")
    def _says_why_it_may_fail(self) -> Self:
        check_reason(self.status, self.reason)
        return self


class Subject(NamedTuple):
    """What was attacked, and who judged it: the persona, its model's fingerprint, the probe and the judges' version."""

    persona: Persona
    fingerprint: str
    probe: AttackedProbe
    judge_version: str


def counterexample(contract: PersonaContract, subject: Subject, outcome: ProbeOutcome) -> PersonaCounterexample | None:
    """Return the record of a success that was shrunk and confirmed; None for any other outcome."""
    shrunk, search, baseline = outcome.shrunk, outcome.search, outcome.trial.counts
    if shrunk is None or search is None or baseline is None or shrunk.confirmed is None or not shrunk.is_confirmed:
        return None
    ruling, confirmed = shrunk.confirmed.ruling, shrunk.confirmed.counts
    assert ruling is not None
    assert confirmed is not None
    return PersonaCounterexample(
        case_id=subject.probe.id,
        persona=subject.persona,
        persona_fingerprint=subject.fingerprint,
        probe=subject.probe,
        judge_version=subject.judge_version,
        validity=ruling.validity,
        oracle_method=ruling.method,
        oracle_version=ruling.oracle_version,
        queries_used=search.queries,
        baseline=baseline,
        confirmed=confirmed,
        dropped=shrunk.dropped,
        one_minimal=shrunk.one_minimal,
        status=Status.ACTIVE_REGRESSION,
        **_frame(subject, shrunk, shrunk.confirmed.size),
        **_terms(contract),
    )


def _frame(subject: Subject, shrunk: Shrunk, size: int) -> dict[str, Any]:
    """Return the fields that tell what is put around a probe; `size` is in tokens."""
    probe, turns = subject.probe, turns_of(shrunk.candidate)
    mechanisms = tuple(dict.fromkeys(edit.mechanism for edit in shrunk.candidate.edits))
    identity = digest_of([subject.persona.digest, probe.id, list(turns)])
    return {
        "attack_id": f"{'free_text' if shrunk.is_free else mechanisms[0]}-{identity[:12]}",
        "failure_mechanism": mechanisms[0],
        "mechanisms": mechanisms,
        "is_free_text": shrunk.is_free,
        "original_turns": probe.turns,
        "adversarial_turns": turns,
        "edits": shrunk.candidate.edits,
        "edit_distance_tokens": size,
        "edit_distance_chars": text.char_distance("\n".join(probe.turns), "\n".join(turns)),
        "is_minimal_edit": size <= token_limit(ValidityConstraints(), " ".join(probe.turns)),
    }


def _terms(contract: PersonaContract) -> dict[str, Any]:
    """Return the fields that a contract gives."""
    attacker = contract.attacker
    return {
        "contract_digest": contract.digest,
        "objective": contract.objective,
        "attacker": attacker.strategy,
        "attacker_access": attacker.knowledge,
        "attack_budget": attacker.budgets.victim_queries,
        "seed": contract.evaluation.seed,
        "redraws": contract.replays.redraws,
        "authorized": contract.authorized,
    }


def replay_anew(  # noqa: PLR0913  what a replay is made of
    kept: PersonaCounterexample,
    work: Path,
    *,
    folder: Path,
    cache: Path | None,
    times: int = 20,
    first: int = 0,
    model: ChatModel | None = None,
) -> Counts:
    """Ask the persona of a counterexample again, so many times, and return what its judges say.

    `work` is a folder for what is said and judged, in which a stopped replay goes on; `folder` is where a family's file
    stands. Replay i, from `first` on, is asked with the same seed and repeat each time, so that a larger `first` asks
    afresh. A `model` that is given is asked in the place of the persona's own. Raises ContractError for a remote
    persona without authorization, and ModelError or JudgeError where a model or a family cannot be had.
    """
    check_authorized(kept, kept.persona.model, role="persona")
    asked = model or load_chat(kept.persona.model)
    bench = Bench(kept.objective, kept.persona, seed=kept.seed, folder=folder, cache=cache)
    calls = times * len(kept.adversarial_turns) * (MOST_TOOL_STEPS + 1) * (kept.redraws + 1)
    meter = Meter(Budgets(victim_queries=calls))
    panel = bench.panel(kept.probe, lambda: meter.try_spend("judge_calls"))
    work.mkdir(parents=True, exist_ok=True)
    with (
        open_transcripts(work / "transcripts.sqlite3") as transcripts,
        open_judgements(work / "judgements.sqlite3") as judgements,
    ):
        replayer = Replayer(
            kept.persona, asked, transcripts, judgements, seed=kept.seed, redraws=kept.redraws, concurrency=8
        )
        wanted = Replay(kept.probe, Arm.CONFIRM, kept.adversarial_turns, first, times, meter, panel)
        (counts,) = run_to_end(replayer.all([wanted]))
    return counts


def judge_version_now(kept: PersonaCounterexample, folder: Path) -> str:
    """Return the version of who would judge a counterexample's replies now; `folder` is where a family's file stands.

    Raises JudgeError and ModelError where they cannot be had.
    """
    bench = Bench(kept.objective, kept.persona, seed=kept.seed, folder=folder, cache=None)
    return bench.panel(kept.probe, lambda: False).version
