"""The figures of a curve against hand counts and against the statistics that they share."""

import math

import pytest

from confute.harness.degradation_figures import Resampled, Scored, depth_of, histogram, overlap
from confute.harness.stats.ranking import auc_interval
from confute.records import Decision, Outcome

TAU = 0.5


def scored(values, groups=None, positive=False):
    made = []
    for number, value in enumerate(values):
        group = f"g{number}" if groups is None else groups[number]
        if value is None:
            made.append(Scored(group, None, None, Outcome.UNKNOWN))
            continue
        accepted = value <= TAU
        wrong = accepted is not positive
        made.append(
            Scored(
                group,
                value,
                Decision.ACCEPT if accepted else Decision.REJECT,
                Outcome.SUCCEEDED if wrong else Outcome.RESISTED,
            )
        )
    return made


POSITIVES = (0.1, 0.2, 0.3, 0.6)
RANDOM = (0.9, 0.8, 0.4, 0.9)
NEAR = (0.7, 0.25, 0.35, None)


def sampled(**kinds):
    return Resampled(
        scored(POSITIVES, positive=True),
        {k: scored(v) for k, v in kinds.items()},
        "random",
        seed="seed",
        replicates=10_000,
    )


def test_area_gap_and_rates_are_those_counted_by_hand():
    found = sampled(random=RANDOM, near=NEAR).figures("near")
    # .7 is above all four positives, .25 above two, .35 above three: 9 of 12 pairs.
    assert found.auc.value == pytest.approx(9 / 12)
    assert found.mean == pytest.approx((0.7 + 0.25 + 0.35) / 3)
    assert found.gap.value == pytest.approx(1.3 / 3 - 0.3)
    assert (found.false_acceptance.rate.numerator, found.false_acceptance.rate.denominator) == (2, 3)
    assert found.false_acceptance.rate.unknown == 1
    # The baseline of the third claim, .4, is accepted itself: of the first and second, one is induced.
    assert (found.induced.rate.numerator, found.induced.rate.denominator) == (1, 2)


def test_supported_acceptance_counts_accepted_positives():
    share = sampled(random=RANDOM).supported_acceptance()
    assert (share.rate.numerator, share.rate.denominator) == (3, 4)
    assert share.bootstrap.low < 0.75 < share.bootstrap.high


def test_lambda_is_minus_the_slope_of_the_area_on_log2_k():
    # Areas 1, 3/4, 1/2 at K = 1, 4, 16, so at log2 K = 0, 2, 4: the line falls by 1/8 a doubling.
    kinds = {"random": (0.9,) * 4, "1": (0.9,) * 4, "4": (0.9, 0.9, 0.9, 0.0), "16": (0.9, 0.9, 0.0, 0.0)}
    made = sampled(**kinds)
    assert made.trend({1: "1", 4: "4", 16: "16"}).slope.value == pytest.approx(1 / 8)
    drop = made.trend({16: "16", 4: "4", 1: "1"}).largest_drop
    assert (drop.fall.value, drop.start) == (pytest.approx(0.25), 1)
    assert drop.fall.low <= 0.25 <= drop.fall.high


def test_budgets_without_a_mined_set_are_no_point_of_the_slope():
    kinds = {"random": (0.9,) * 4, "1": (0.9,) * 4, "4": (0.9, 0.9, 0.9, 0.0), "16": (None,) * 4}
    made = sampled(**kinds)
    assert made.trend({1: "1", 4: "4", 16: "16"}).slope.value == pytest.approx(1 / 8)
    assert made.figures("16").auc.value is None
    assert made.figures("16").false_acceptance.rate.value is None


def test_one_budget_alone_has_no_slope_and_no_fall():
    made = sampled(random=RANDOM, near=NEAR)
    assert made.trend({1: "near"}).slope.value is None
    assert made.trend({1: "near"}).largest_drop is None


def test_the_area_has_the_interval_of_the_shared_bootstrap():
    groups = ["a", "a", "b", "c"]
    positives, negatives = scored(POSITIVES, groups, positive=True), scored(RANDOM, groups)
    found = Resampled(positives, {"random": negatives}, "random", seed="seed", replicates=10_000).figures("random")
    expected = auc_interval(POSITIVES, RANDOM, groups, groups, seed="seed")
    assert (found.auc.low, found.auc.high) == expected


def test_one_source_alone_has_no_interval():
    groups = ["a"] * 4
    made = Resampled(
        scored(POSITIVES, groups, positive=True),
        {"random": scored(RANDOM, groups)},
        "random",
        seed="seed",
        replicates=10_000,
    )
    found = made.figures("random")
    assert found.auc.value is not None
    assert (found.auc.low, found.auc.high) == (None, None)
    assert made.trend({1: "random", 4: "random"}).slope.low is None


def test_perfect_separation_and_no_false_acceptance_keep_intervals_of_some_width():
    found = sampled(random=(0.9,) * 4).figures("random")
    assert found.auc.value == 1.0
    assert found.auc.low < 1.0
    assert found.false_acceptance.bootstrap.high > 0.0


def test_histograms_count_measured_energies_and_share_their_mass():
    first, second = histogram(scored((0.0, 0.01, 0.99, 1.0))), histogram(scored((0.01, None, 0.5)))
    assert (first[0], first[-1], sum(first), sum(second)) == (2, 2, 4, 2)
    assert overlap(first, second) == pytest.approx(0.5)  # half of each lies in the lowest bin
    assert overlap(first, [0] * 20) is None


def test_depths_leave_out_what_was_not_mined():
    found = depth_of([1, 0, 3, 1])
    assert (found.median, found.deepest, found.first) == (1.0, 3, 2)
    assert math.isclose(found.p90, 2.6)  # .9 of the way through 1, 1, 3: 1 + .8 * 2
    assert depth_of([0, 0]) is None


def test_points_of_a_trend_are_of_the_claims_that_every_budget_measures():
    # At K = 4 the fourth claim, whose own .6 lies above its foreign .0, is not measured: without it both areas are 1.
    kinds = {"random": (0.9,) * 4, "1": (0.9, 0.9, 0.9, 0.0), "4": (0.9, 0.9, 0.9, None)}
    made = sampled(**kinds)
    assert made.figures("1").auc.value == pytest.approx(0.75)
    found = made.trend({1: "1", 4: "4"})
    assert found.claims == (0, 1, 2)
    assert (found.slope.value, found.largest_drop.fall.value) == (0.0, 0.0)


def test_the_interval_of_a_trend_rests_on_the_sources_of_the_claims_in_it():
    kinds = {"random": (0.9,) * 4, "1": (0.9, 0.9, 0.9, 0.9), "4": (0.9, 0.15, None, 0.15)}
    whole = sampled(**kinds).trend({1: "1", 4: "4"})
    kept = [0, 1, 3]
    part = Resampled(
        [scored(POSITIVES, positive=True)[at] for at in kept],
        {kind: [scored(values)[at] for at in kept] for kind, values in kinds.items()},
        "random",
        seed="seed",
        replicates=10_000,
    ).trend({1: "1", 4: "4"})
    assert whole.slope == part.slope.model_copy(update={"n_clusters": whole.slope.n_clusters})
    assert whole.slope.low < whole.slope.value


def test_no_claim_at_every_budget_has_no_trend():
    found = sampled(**{"random": (0.9,) * 4, "1": (0.9, None, None, None), "4": (None, 0.9, 0.9, 0.9)})
    trend = found.trend({1: "1", 4: "4"})
    assert (trend.claims, trend.slope.value, trend.largest_drop) == ((), None, None)
