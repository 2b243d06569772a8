"""The guards on added passages against the labels given by hand to a sample of them."""

import importlib
import json
from pathlib import Path

import pytest

from confute.records import Validity

FOLDER = Path(__file__).parents[3] / "benchmarks"
MARKS = (True, False, "unsure")


@pytest.fixture(scope="module")
def passages():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))
        return importlib.import_module("passages")


def test_the_figures_of_the_labels_are_those_that_the_guide_gives(passages):
    rows = [json.loads(line) for line in passages.LABELS.read_text(encoding="utf-8").splitlines()]
    figures = passages.precision(rows)
    assert (figures["drawn"]["right"], figures["drawn"]["total"]) == (80, 80)
    assert (figures["hardest"]["right"], figures["hardest"]["total"]) == (40, 40)
    # Wilson at p = 1: n / (n + z^2), with z^2 = 3.8415: 80 / 83.8415 = 0.9542 and 40 / 43.8415 = 0.9124.
    assert [figures[sample]["wilson95"][0] for sample in ("drawn", "hardest")] == [0.9542, 0.9124]


def test_an_unsure_label_counts_as_wrong(passages):
    rows = [{"source": "scifact", "sample": sample, "valid": mark} for sample in ("drawn", "hardest") for mark in MARKS]
    rows += [{"source": "feverous", "sample": "drawn", "valid": True}]
    figures = passages.precision(rows)
    assert (figures["drawn"]["right"], figures["drawn"]["total"]) == (2, 4)
    assert (figures["scifact"]["right"], figures["scifact"]["total"]) == (2, 6)


def test_the_labelled_passages_are_still_vouched_for(passages, data_dir):
    ruled = passages.rebuilt(data_dir)
    assert sum(ruling.validity is Validity.VALID for _, ruling in ruled) >= 0.95 * len(ruled)
