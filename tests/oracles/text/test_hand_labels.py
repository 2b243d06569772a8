"""The guards against the labels given by hand to a sample of their edits."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from confute.records import Validity

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "guards.py"


@pytest.fixture(scope="module")
def guards() -> ModuleType:
    spec = importlib.util.spec_from_file_location("guards_benchmark", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def labelled(guards: ModuleType, data_dir: Path) -> list[Any]:
    rebuilt: list[Any] = guards.rebuilt(data_dir)
    return rebuilt


def test_the_edits_that_the_guards_vouch_for_are_right(guards: ModuleType, labelled: list[Any]) -> None:
    figures = guards.precision(labelled)
    assert figures["all"]["total"] >= 200
    assert figures["all"]["precision"] >= 0.95


def test_the_labelled_edits_are_still_vouched_for(labelled: list[Any]) -> None:
    narrowed = ("order_of_a_list", "symmetric_relation")  # withdrawn, and held to two names of a kind
    right = [item for item in labelled if item.row["ruled"] == Validity.VALID and item.right]
    drawn = [item for item in right if item.row["reason"] not in narrowed]
    lost = [item.row["row"] for item in drawn if item.ruling.validity is not Validity.VALID]
    assert len(lost) <= 0.05 * len(drawn)


def test_the_rounds_are_reported_as_they_were_drawn(guards: ModuleType, labelled: list[Any]) -> None:
    second = guards.second_round(labelled)
    assert (second["all"]["right"], second["all"]["total"]) == (56, 60)
    assert (second["meaning_kept"]["right"], second["meaning_kept"]["total"]) == (60, 60)
    by_reason = ("same_date", "same_meaning", "same_value", "typo_in_function_word")
    assert sum(second[reason]["total"] for reason in by_reason) == 60


def test_no_row_of_the_second_round_was_read_before(labelled: list[Any]) -> None:
    before = {(item.row["source"], item.row["row"]) for item in labelled if item.round == 1}
    after = [(item.row["source"], item.row["row"]) for item in labelled if item.round == 2]
    assert len(set(after)) == 60
    assert not before & set(after)


def test_the_bounds_are_the_usual_ones(guards: ModuleType) -> None:
    # scipy.stats.binomtest(207, 215).proportion_ci(method="wilson"), and its exact one-sided lower bound
    assert guards.wilson(207, 215) == pytest.approx((0.92831, 0.98103), abs=5e-5)
    assert guards.lower_bound(207, 215) == pytest.approx(0.93387, abs=5e-5)
    assert guards.lower_bound(60, 60) == pytest.approx(0.05 ** (1 / 60))
