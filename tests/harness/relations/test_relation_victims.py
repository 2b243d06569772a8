"""Detectors with one fault each, and the row that finds it."""

from __future__ import annotations

import numpy as np
import pytest
from relation_stage import Alternating, ByBatch, Drifting, Failing, LastPassage, Saturated, stage

from confute.contract import Suite
from confute.errors import VictimError
from confute.harness.control.asking import HttpDetector
from confute.harness.relations import pipeline
from confute.harness.relations import subject as subjects
from confute.harness.relations.page import page
from confute.harness.relations.run import Plan, measure
from confute.oracles.relations.catalogue import RELATIONS
from confute.victims import load
from confute.victims.overlap import WordOverlap

MATERIAL = stage()


class Quiet:
    def begin(self, phase, total):
        pass

    def say(self, message):
        pass

    def advance(self, units):
        pass


def subject(monkeypatch, detector):
    monkeypatch.setattr(load, "load", lambda victim, embedder: detector())
    return subjects.subject("own", subjects.declared("own:detector", 60.0), MATERIAL, None, fresh=None, seed=0)


def report(monkeypatch, detector, *rows):
    return measure(Plan(rows, (), 0, Suite.DEVELOPMENT), MATERIAL, [subject(monkeypatch, detector)], None, (), Quiet())


def test_a_detector_that_drifts_between_calls_breaks_the_rerun_beyond_any_doubt_of_its_own(monkeypatch):
    asked = subject(monkeypatch, Drifting)
    # One call of at most 64 pairs each: the second is .01 higher, and so is the tolerance that was learned.
    assert asked.tolerance.reruns == pytest.approx(0.01)
    assert pipeline.reruns(asked, MATERIAL, 0).mean_change.value == pytest.approx(0.01)


def test_a_detector_that_looks_at_its_batch_is_found_by_asking_one_by_one(monkeypatch):
    found = pipeline.batches(subject(monkeypatch, ByBatch), MATERIAL, 0)
    assert found.violations.numerator == found.violations.denominator > 0
    sound = pipeline.reruns(subject(monkeypatch, ByBatch), MATERIAL, 0)
    assert sound.violations.numerator == 0


def test_a_detector_that_reads_the_last_passage_alone_is_found_by_order(monkeypatch):
    found = {one.row_id: one for one in report(monkeypatch, LastPassage, "E1", "E2").figures}
    assert found["E1"].violations.numerator > 0


def test_what_fails_is_an_error_of_its_row_and_the_rest_is_measured(monkeypatch):
    (found,) = report(monkeypatch, Failing, "C41").figures
    assert found.violations.errors > 0
    assert found.violations.denominator + found.violations.errors == found.trials


def test_more_foreign_evidence_never_lowers_the_false_acceptance(monkeypatch):
    found = pipeline.best_of_k(subject(monkeypatch, LastPassage), MATERIAL, 0)
    rates = list(found.series.values())
    assert rates == sorted(rates)
    assert len(rates) == len(pipeline.POOLS)
    assert found.violations.numerator == 0


def test_a_detector_that_answers_every_second_call_higher_breaks_the_rise_of_the_thresholds(monkeypatch):
    assert pipeline.thresholds(subject(monkeypatch, Alternating), MATERIAL, 0).violations.numerator > 0
    sound = pipeline.thresholds(subject(monkeypatch, LastPassage), MATERIAL, 0)
    assert sound.violations.numerator == 0
    assert list(sound.series.values()) == sorted(sound.series.values())


def test_a_detector_without_a_rank_is_not_asked_at_one(monkeypatch):
    assert pipeline.ranks(subject(monkeypatch, LastPassage), MATERIAL, 0).why_not == "has no rank"


def test_e15_and_e18_are_for_detectors_of_which_they_are_true(monkeypatch):
    found = report(monkeypatch, LastPassage, "E15", "E18").figures
    assert all(one.why_not for one in found)


def test_threshold_and_tolerance_do_not_look_at_measured_cases(monkeypatch):
    measured = {one.case.claim for one in MATERIAL.measured}
    seen = set()

    class Noting(LastPassage):
        def score(self, pairs):
            seen.update(pair.claim for pair in pairs)
            return super().score(pairs)

    subject(monkeypatch, Noting)
    assert seen
    assert seen.isdisjoint(measured)
    assert {case.group for case in MATERIAL.calibration}.isdisjoint(one.case.group for one in MATERIAL.measured)


def test_the_tolerance_is_the_95th_percentile_of_the_larger_kind(monkeypatch):
    tolerance = subject(monkeypatch, LastPassage).tolerance
    assert tolerance.value == tolerance.siblings > tolerance.reruns == 0.0
    assert tolerance.n_siblings > 100
    moves = [0.0] * 95 + [0.5] * 5
    # numpy's own 95th percentile of 95 zeros and 5 halves, taken upwards, is the 96th smallest.
    assert subjects._quantile(moves) == np.quantile(moves, 0.95, method="higher") == 0.5


def test_a_threshold_that_accepts_every_calibration_case_is_told_in_the_figures_and_in_words(monkeypatch):
    # A tenth of the supported cases have the highest risk, so that the threshold that rejects 5 % of them is that.
    found = report(monkeypatch, Saturated, "C5")
    cut = found.victims[0].cut
    assert (found.victims[0].threshold, cut.source, cut.is_blind) == (1.0, subjects.Source.CALIBRATED, True)
    assert cut.accepted == cut.decided == len(MATERIAL.calibration)
    (warning,) = page(found).warnings
    assert "own: its threshold 1.0000 (calibrated) accepts every one of" in warning


def test_a_threshold_that_decides_is_told_without_a_warning(monkeypatch):
    found = report(monkeypatch, WordOverlap, "C5")
    cut = found.victims[0].cut
    assert 0 < cut.accepted < cut.decided
    assert not cut.is_blind
    assert page(found).warnings == ()


def test_the_matrix_tells_what_did_not_rise_apart_from_what_was_not_rejected(monkeypatch):
    found = report(monkeypatch, LastPassage, "C5", "C40")
    parts = {name: f"{one.numerator}/{one.denominator}" for name, one in found.figures[0].parts.items()}
    c5, c40 = page(found).parts[0].rows
    assert c5[-1].endswith(f"; did not rise {parts['did not rise']}; not rejected {parts['not rejected']}")
    assert ";" not in c40[-1]


def test_the_grounding_check_keeps_the_threshold_that_its_risk_means():
    asked = subjects.subject(
        "grounding", subjects.declared("grounding", 60.0), MATERIAL, load.load, fresh=load.load, seed=0
    )
    assert (asked.victim.threshold, asked.cut.source) == (0.5, subjects.Source.NATURAL)
    assert not asked.cut.is_blind


def test_the_same_seed_gives_the_same_report(monkeypatch):
    rows = tuple(name for name in RELATIONS if name in {"C1", "E4", "P5"})
    assert report(monkeypatch, LastPassage, *rows) == report(monkeypatch, LastPassage, *rows)


@pytest.mark.parametrize("rank", ["0", "-1", "", "two", "²"])
def test_a_rank_that_is_none_is_a_mistake_that_is_told(rank):
    with pytest.raises(VictimError, match="no rank"):
        subjects.declared(f"hallucination_energy@{rank}", 60.0)


def test_a_rank_stands_after_the_energy_s_name():
    assert subjects.declared("hallucination_energy@full", 60.0).rank == "full"
    assert subjects.declared("hallucination_energy@3", 60.0).rank == 3


def test_an_address_is_asked_over_http():
    victim = subjects.declared("http://127.0.0.1:9/score", 1.0)
    assert isinstance(subjects._built(victim, None), HttpDetector)


def test_an_embedder_is_given_each_text_once():
    from confute.harness.relations.remembering import RememberingEmbedder

    asked = []

    class Counting:
        fingerprint = "counting"

        def embed(self, texts):
            asked.extend(texts)
            return np.array([[float(len(text)), 1.0] for text in texts], dtype=np.float32)

    kept = RememberingEmbedder(Counting())
    kept.embed(["a", "bb", "a"])
    assert kept.embed(["bb", "ccc"]).tolist() == [[2.0, 1.0], [3.0, 1.0]]
    assert asked == ["a", "bb", "ccc"]
