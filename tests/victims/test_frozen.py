import sys

import pytest
from hashing_embedder import HashingEmbedder

from confute.contract import Calibration, Segmentation, Threshold, Victim
from confute.errors import CalibrationError
from confute.records import Case, Decision, Label, Pair, Score, ScoreState
from confute.victims.frozen import freeze
from confute.victims.load import load


class Lengths:
    """The risk is the number written in the claim."""

    def score(self, pairs):
        return [float(pair.claim) for pair in pairs]


def measured(value):
    return Score(state=ScoreState.MEASURED, value=value)


def given(value, detector=None, **settings):
    victim = Victim(detector="own:detector", threshold=Threshold(value=value), **settings)
    return freeze(victim, detector or Lengths(), None, [], [])


def cases(risks, label=Label.SUPPORTED, prefix="case"):
    return [
        Case(
            case_id=f"{prefix}-{risk}",
            claim=str(risk),
            evidence=("e",),
            label=label,
            domain="d",
            source="s",
            group=f"{prefix}-{risk}",
        )
        for risk in risks
    ]


def test_a_tie_at_the_threshold_accepts():
    victim = given(0.5)
    assert [victim.decide(measured(risk)) for risk in (0.4, 0.5, 0.6)] == [
        Decision.ACCEPT,
        Decision.ACCEPT,
        Decision.REJECT,
    ]


def test_nothing_measured_is_no_decision():
    victim = given(0.5)
    assert victim.decide(Score(state=ScoreState.NO_EVIDENCE)) is None
    assert victim.decide(Score(state=ScoreState.ERROR, error_code="raised")) is None


def test_a_safer_score_at_the_given_threshold_accepts_on_the_detectors_own_scale():
    victim = given(0.7, higher_is_safer=True)
    scores = victim.measure([Pair(claim=claim, evidence=("e",)) for claim in ("0.7", "0.71", "0.69")])
    assert [victim.decide(score) for score in scores] == [Decision.ACCEPT, Decision.ACCEPT, Decision.REJECT]


def test_a_calibrated_threshold_comes_from_the_calibration_cases_alone():
    victim = Victim(detector="own:detector", threshold=Threshold(calibrate=Calibration(target_rate=0.1)))
    frozen = freeze(victim, Lengths(), None, cases(range(20)), cases([500], prefix="reported"))
    assert frozen.threshold == 17.0  # 2 of the 20 may lie above
    assert (frozen.manifest.calibration.n, frozen.manifest.calibration.k) == (20, 18)


def test_a_leaky_threshold_is_refused():
    victim = Victim(detector="own:detector")
    with pytest.raises(CalibrationError, match="leaky_threshold"):
        freeze(victim, Lengths(), None, cases(range(20)), cases([3]))


BASE = Victim(detector="hallucination_energy", threshold=Threshold(value=0.5))
CHANGES = [
    {"detector": "nearest_passage"},
    {"version": "2"},
    {"embedder": "another/model"},
    {"rank": 4},
    {"segmentation": Segmentation(unit="passage")},
    {"higher_is_safer": True, "threshold": Threshold(value=0.4)},
    {"deterministic": False},
    {"timeout_s": 61.0},
    {"threshold": Threshold(value=0.25)},
    {"calibration_version": "2"},
]


def fingerprint(victim, embedder):
    return freeze(victim, load(victim, lambda _: embedder), embedder, [], []).fingerprint


def test_the_fingerprint_changes_with_everything_that_a_decision_depends_on(monkeypatch):
    seen = [fingerprint(BASE, HashingEmbedder(48)), fingerprint(BASE, HashingEmbedder(49))]
    seen += [fingerprint(BASE.model_copy(update=change), HashingEmbedder(48)) for change in CHANGES]
    monkeypatch.setattr("confute.victims.frozen.metadata.version", lambda name: "0")
    seen.append(fingerprint(BASE, HashingEmbedder(48)))
    assert len(set(seen)) == len(seen)


def test_the_fingerprint_is_the_same_each_time_and_for_defaults_written_out():
    spelled = BASE.model_copy(update={"embedder": "minilm", "rank": 8})
    assert len({fingerprint(victim, HashingEmbedder()) for victim in (BASE, BASE, spelled)}) == 1


def test_the_fingerprint_changes_with_the_calibration_set_at_the_same_threshold():
    victim = Victim(detector="own:detector")
    prints = [
        freeze(victim, Lengths(), None, [*cases(range(20)), *cases([extra], Label.REFUTED, "other")], [])
        for extra in (50, 51)
    ]
    assert prints[0].threshold == prints[1].threshold
    assert prints[0].fingerprint != prints[1].fingerprint


def test_the_fingerprint_changes_with_the_source_of_a_users_own_detector(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    victim = Victim(detector="fingerprinted:score", threshold=Threshold(value=0.5))
    seen = set()
    for body in ("return [0.0]", "return [ 0.0 ]", "return [0.0]"):
        (tmp_path / "fingerprinted.py").write_text(f"def score(pairs): {body}\n", encoding="utf-8")
        sys.modules.pop("fingerprinted", None)
        frozen = freeze(victim, load(victim, HashingEmbedder), None, [], [])
        seen.add(frozen.manifest.source_digest)
    sys.modules.pop("fingerprinted", None)
    assert len(seen) == 2
    assert None not in seen


def test_the_manifest_prints_its_parts():
    manifest = freeze(BASE, Lengths(), HashingEmbedder(), [], []).manifest
    assert (manifest.embedder, manifest.rank, manifest.threshold) == ("minilm", 8, 0.5)
    assert {"confute", "numpy", "onnxruntime", "python", "tokenizers"} <= manifest.libraries.keys()
    assert "onnxruntime" not in given(0.5).manifest.libraries
