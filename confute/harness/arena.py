"""Contracts turned into arenas: cases split, the victim built, its threshold frozen, and only then the attacker."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, zip_longest
from pathlib import Path
from typing import NoReturn

from confute.agents import load as agents
from confute.contract import AttackContract, Attacker, OracleChoice, Suite, Victim
from confute.errors import ContractError, ModelError
from confute.harness import dataset
from confute.harness.authorization import check_authorized
from confute.harness.campaign import Arena, Progress
from confute.harness.disclosing import Discloser
from confute.harness.evidence import EvidenceMoves, Together
from confute.harness.frozen_attacker import thaw
from confute.harness.left_out import LABEL_NEI
from confute.harness.manifest import DatasetSummary
from confute.harness.mining.sources import Marks, joined
from confute.harness.opponents import fingerprints, flipper_of, judged, without_feedback
from confute.harness.referees import referees_of
from confute.models import load as models
from confute.models.chat_load import load_chat
from confute.models.embedder import Embedder, TruncatingEmbedder
from confute.oracles.facts.builtin import builtin
from confute.oracles.facts.oracle import FactsOracle
from confute.oracles.oracle import MoveSource
from confute.oracles.text.oracle import GuardedTextOracle
from confute.records import Case, Label, digest_of
from confute.victims import calibration
from confute.victims import load as victims
from confute.victims.calibration import CalibratedThreshold
from confute.victims.frozen import freeze
from confute.victims.segmentation import passages


@dataclass(frozen=True)
class Prepared:
    """An arena with what its manifest needs to know of where it came from."""

    arena: Arena
    attacker_fingerprint: str
    strategy_fingerprint: str
    oracle_version: str
    source: DatasetSummary
    truncated_texts: int


@dataclass(frozen=True)
class Material:
    """Labelled cases, the oracle that rules on them and its version, and where they came from.

    `support` gives, by case id, the places of the passages that support a claim, and `sources` the names of the sources
    that its evidence is of, where rows list them.
    """

    cases: tuple[Case, ...]
    oracle: FactsOracle | GuardedTextOracle
    version: str
    source: DatasetSummary
    support: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def prepare(
    contract: AttackContract,
    data: Path | None,
    cache: Path | None,
    progress: Progress,
    known: CalibratedThreshold | None = None,
) -> Prepared:
    """Build everything that a campaign needs.

    Groups that share a source are joined first, so that calibration cases and attacked cases share none, nor is a
    passage of a case's own source foreign to it. Raises ContractError where the contract asks for what
    cannot be given, DatasetError for the claims file, VictimError and ModelError for the victim.
    """
    _check_carried_out(contract)
    progress.begin("prepare", 1)
    material = gathered(contract, data)
    material = replace(material, cases=joined(material.cases, marks(contract, material)).cases)
    calibrated, attacked = divided(contract, material.cases)
    embedder = Embedders(cache)
    detector = victims.load(contract.victim, embedder.load)
    check_authorized(contract, detector)
    discloser = Discloser(contract.victim, detector, embedder.loaded, contract.attacker.knowledge)
    agent = agents.load(contract.attacker, embedder=embedder.loaded, flipper=flipper_of(contract))
    asked = None if contract.attacker.model is None else load_chat(contract.attacker.model)
    strategy = agent.fingerprint if asked is None else digest_of([agent.fingerprint, asked.fingerprint])
    experience = thaw(contract.attacker, strategy)
    referees = referees_of(contract)
    oracle, oracle_version = judged(material.oracle, material.version, referees)
    victim = freeze(contract.victim, detector, embedder.loaded, calibrated, attacked, known)
    blind = agents.load(without_feedback(contract.attacker))
    diagnostic = embedder.loaded or embedder.diagnostic()
    moves, offered_by = _moves(contract.attacker, material, diagnostic)
    arena = Arena(
        contract=contract,
        cases=attacked,
        victim=victim,
        oracle=oracle,
        moves=moves,
        agent=agent,
        blind_agent=blind,
        embedder=diagnostic,
        discloser=discloser,
        attacker_model=asked,
        referees=referees,
        experience=experience,
    )
    progress.advance(1)
    return Prepared(
        arena=arena,
        attacker_fingerprint=digest_of([agent.fingerprint, blind.fingerprint, *offered_by, *fingerprints(asked)]),
        strategy_fingerprint=strategy,
        oracle_version=oracle_version,
        source=material.source,
        truncated_texts=truncated(contract.victim, attacked, embedder.loaded),
    )


def gathered(contract: AttackContract, data: Path | None) -> Material:
    """Return the cases of a contract's oracle or of a claims file, before they are divided.

    Raises ContractError where the oracle and the file do not go together, DatasetError for the file.
    """
    return _facts(contract, data) if contract.objective.oracle is OracleChoice.FACTS else _guarded(data)


def marks(contract: AttackContract, material: Material) -> Marks:
    """Return what tells the source of evidence under a contract."""
    pattern = None if contract.curve is None else contract.curve.passage_source
    return Marks(contract.victim.segmentation, pattern, material.sources)


class Embedders:
    """Loads the victim's embedder once, and lends it, or the embedded default, to the diagnostics."""

    def __init__(self, cache: Path | None) -> None:
        self._cache = cache
        self.loaded: TruncatingEmbedder | None = None

    def load(self, name: str) -> TruncatingEmbedder:
        """Return the embedder of a name and keep it."""
        self.loaded = models.load(name, cache=self._cache)
        return self.loaded

    def diagnostic(self) -> Embedder | None:
        """Return the embedded default, or None where it cannot be had."""
        try:
            return models.load(cache=self._cache)
        except ModelError:
            return None


def _moves(attacker: Attacker, material: Material, embedder: Embedder | None) -> tuple[MoveSource, list[str]]:
    """Return what offers the moves, and what it depends on besides the oracle and the cases."""
    of_evidence = tuple(mechanism for mechanism in attacker.capabilities if mechanism.changes_evidence)
    if not of_evidence:
        return material.oracle, []
    evidence = EvidenceMoves(of_evidence, material.oracle, material.cases, embedder, material.support)
    if len(of_evidence) == len(attacker.capabilities):
        return evidence, [evidence.fingerprint]
    return Together((material.oracle, evidence)), [evidence.fingerprint]


def _check_carried_out(contract: AttackContract) -> None:
    """Raise ContractError where the contract asks for what no part carries out, so that no field is idle."""
    if not contract.attacks:
        raise ContractError(
            "the contract declares a curve and no attacker",
            field="attacker",
            hint="add `attacker: {strategy: greedy}`, or run `confute curve`",
        )
    evaluation = contract.evaluation
    if evaluation.suite is Suite.REGRESSION:
        allowed = (Suite.DEVELOPMENT, Suite.HELD_OUT)
        _refuse("evaluation.suite", "an attack does not replay known failures", allowed, evaluation.suite)
    for name in ("frozen_threshold", "frozen_attacker"):
        if not getattr(evaluation, name):
            _refuse(f"evaluation.{name}", "threshold and attacker are always frozen", ("true",), False)


def _refuse(field: str, problem: str, allowed: Sequence[str], got: object) -> NoReturn:
    raise ContractError(problem, field=field, allowed=", ".join(allowed), got=str(got))


def _facts(contract: AttackContract, data: Path | None) -> Material:
    if data is not None:
        raise ContractError(
            "the oracle 'facts' knows its own cases alone",
            field="objective.oracle",
            allowed="guarded_text, for a claims file",
            got=OracleChoice.FACTS.value,
            hint="leave --data out, or give a contract with the oracle guarded_text",
        )
    oracle = builtin(contract.evaluation.seed, contract.evaluation.suite)
    digest = digest_of([case.model_dump(mode="json") for case in oracle.cases])
    source = DatasetSummary(name="built-in facts", digest=digest, rows=len(oracle.cases), dropped={})
    return Material(cases=oracle.cases, oracle=oracle, version=oracle.version, source=source)


def _guarded(data: Path | None) -> Material:
    if data is None:
        raise ContractError(
            "the oracle 'guarded_text' needs a claims file",
            field="objective.oracle",
            hint="add --data FILE, or use the oracle 'facts'",
        )
    found = dataset.read(data)
    judged = tuple(case for case in found.cases if case.label is not Label.NEI)
    not_judged = [line for case, line in zip(found.cases, found.lines, strict=True) if case.label is Label.NEI]
    source = DatasetSummary(
        name=found.name,
        digest=found.digest,
        rows=found.rows,
        dropped=found.dropped | ({LABEL_NEI: len(not_judged)} if not_judged else {}),
        first_lines=found.first_lines | ({LABEL_NEI: not_judged[0]} if not_judged else {}),
    )
    oracle = GuardedTextOracle(judged, found.support)
    return Material(
        cases=judged,
        oracle=oracle,
        version=oracle.version,
        source=source,
        support=found.support,
        sources=found.sources,
    )


def divided(contract: AttackContract, cases: Sequence[Case]) -> tuple[tuple[Case, ...], tuple[Case, ...]]:
    """Set calibration groups aside; draw the attacked cases from the rest, alike by domain and by being supported."""
    how = contract.victim.threshold.calibrate
    seed = contract.evaluation.seed
    calibrated, rest = calibration.split(cases, how.share, seed) if how else ((), tuple(cases))
    limit = contract.evaluation.max_cases
    return calibrated, rest if limit is None else _drawn(rest, limit, seed)


def _drawn(cases: Sequence[Case], limit: int, seed: int) -> tuple[Case, ...]:
    strata: dict[tuple[str, bool], list[Case]] = {}
    for case in sorted(cases, key=lambda case: case.case_id):
        strata.setdefault((case.domain, case.label is Label.SUPPORTED), []).append(case)
    for stratum, members in strata.items():
        random.Random(f"{seed}/draw/{stratum}").shuffle(members)  # noqa: S311
    rounds = (case for turn in zip_longest(*strata.values()) for case in turn if case is not None)
    return tuple(sorted(islice(rounds, limit), key=lambda case: case.case_id))


def truncated(victim: Victim, cases: Sequence[Case], embedder: TruncatingEmbedder | None) -> int:
    """Return how many texts of the cases are longer than the embedder reads."""
    if embedder is None:
        return 0
    texts = {text for case in cases for text in (case.claim, *passages(case.evidence, victim.segmentation))}
    return embedder.truncated(sorted(texts))
