"""The meter: no budget is passed by one unit, whoever spends and however many at once."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confute.contract import Budgets
from confute.harness.meter import Meter

LIMIT = st.integers(1, 40)
AMOUNTS = st.lists(st.integers(0, 15), max_size=30)


def test_a_repeated_query_is_requested_again_and_charged_once() -> None:
    # i11: three requested, two unique.
    meter = Meter(Budgets(victim_queries=2))
    assert meter.charge_queries(["a", "b", "a"]) == ("a", "b", "a")
    assert (meter.requested, meter.unique, meter.spent("victim_queries")) == (3, 2, 2)
    assert meter.exhausted is None


def test_a_budget_of_3_grants_3_of_10_queries_and_says_what_is_exhausted() -> None:
    meter = Meter(Budgets(victim_queries=3))
    assert meter.charge_queries([str(number) for number in range(10)]) == ("0", "1", "2")
    assert (meter.exhausted, meter.spent("victim_queries"), meter.requested) == ("victim_queries", 3, 10)


def test_a_query_granted_before_is_granted_after_the_budget_is_gone() -> None:
    meter = Meter(Budgets(victim_queries=1))
    assert meter.charge_queries(["a", "b", "a", "b"]) == ("a", "a")


def test_another_repeat_of_a_pair_is_another_query() -> None:
    meter = Meter(Budgets(victim_queries=5))
    meter.charge_queries(["pair/0", "pair/1"])
    assert meter.unique == 2


@given(limit=LIMIT, amounts=AMOUNTS)
def test_spending_all_or_nothing_never_passes_the_limit(limit: int, amounts: list[int]) -> None:
    meter, spent = Meter(Budgets(attacker_tokens=limit)), 0
    for amount in amounts:
        fits = spent + amount <= limit
        assert meter.try_spend("attacker_tokens", amount) is fits
        spent += amount if fits else 0
        assert meter.spent("attacker_tokens") == spent <= limit
        assert meter.remaining("attacker_tokens") == limit - spent


@given(limit=LIMIT, amounts=AMOUNTS)
def test_taking_what_fits_spends_exactly_the_limit_or_the_sum(limit: int, amounts: list[int]) -> None:
    meter = Meter(Budgets(judge_calls=limit))
    taken = sum(meter.take("judge_calls", amount) for amount in amounts)
    assert taken == min(limit, sum(amounts)) == meter.spent("judge_calls")
    assert (meter.exhausted == "judge_calls") is (sum(amounts) > limit)


@given(limit=st.integers(1, 60), spenders=st.lists(st.integers(1, 5), min_size=2, max_size=6))
def test_threads_together_never_pass_a_limit_by_one_unit(limit: int, spenders: list[int]) -> None:
    meter = Meter(Budgets(victim_queries=limit, attacker_calls=limit, money_usd=limit / 10))
    granted: list[int] = []
    calls: list[bool] = []

    def spend(name: int, amount: int) -> None:
        for turn in range(12):
            granted.append(meter.take("victim_queries", amount))
            calls.append(meter.try_spend("attacker_calls"))
            meter.charge_queries([f"{name}/{turn}", "shared"])
            meter.try_spend_money(Decimal("0.1"))

    in_parallel([partial(spend, name, amount) for name, amount in enumerate(spenders)])
    assert meter.spent("victim_queries") == min(limit, meter.spent("victim_queries")) == sum(granted) + meter.unique
    assert sum(calls) == min(limit, 12 * len(spenders)) == meter.spent("attacker_calls")
    assert meter.money_spent == Fraction(min(limit, 12 * len(spenders)), 10)
    assert meter.requested == 24 * len(spenders)


def test_money_is_exact() -> None:
    """0.1 + 0.2 is 0.30000000000000004 in binary floating point, and would be refused at a limit of 0.3."""
    meter = Meter(Budgets(money_usd=0.3))
    assert meter.try_spend_money(0.1)
    assert meter.try_spend_money(Decimal("0.2"))
    assert not meter.try_spend_money(Decimal("0.000000001"))
    assert meter.money_spent == Fraction(3, 10)
    assert meter.exhausted == "money_usd"


def test_a_million_prices_below_a_microdollar_add_up() -> None:
    meter = Meter(Budgets(money_usd=0.15))
    assert all(meter.try_spend_money(Decimal("0.00000015")) for _ in range(1000))
    assert meter.money_spent == Fraction(15, 100_000)


def test_nothing_is_granted_once_the_time_is_over() -> None:
    now = [100.0]
    meter = Meter(Budgets(wall_clock_s=5.0), clock=lambda: now[0])
    now[0] = 104.9
    assert meter.try_spend("victim_queries")
    now[0] = 105.0
    assert not meter.try_spend("victim_queries")
    assert meter.take("judge_calls", 3) == 0
    assert not meter.try_spend_money(Decimal(0))
    assert meter.charge_queries(["a"]) == ()
    assert meter.exhausted == "wall_clock_s"


def test_no_limit_grants_everything_and_has_no_remainder() -> None:
    meter = Meter(Budgets())
    assert meter.take("attacker_tokens", 10**12) == 10**12
    assert meter.remaining("attacker_tokens") is None
    assert meter.try_spend_money(Decimal("1e9"))
    assert meter.exhausted is None


def test_a_budget_of_nothing_grants_nothing() -> None:
    meter = Meter(Budgets(judge_calls=0, money_usd=0.0))
    assert not meter.try_spend("judge_calls")
    assert not meter.try_spend_money(Decimal("0.01"))
    assert meter.exhausted == "judge_calls"


@pytest.mark.parametrize(
    "spend",
    [
        lambda meter: meter.try_spend("judge_calls", -1),
        lambda meter: meter.take("judge_calls", -1),
        lambda meter: meter.try_spend_money(Decimal(-1)),
    ],
)
def test_a_negative_amount_is_refused(spend: Callable[[Meter], object]) -> None:
    meter = Meter(Budgets())
    with pytest.raises(ValueError, match="negative"):
        spend(meter)
    assert meter.spent("judge_calls") == 0 == meter.money_spent


def in_parallel(tasks: list[Callable[[], object]]) -> None:
    """Run the tasks in threads that are switched as often as the interpreter can."""
    threads = [threading.Thread(target=task) for task in tasks]
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(usual)


def test_a_bill_above_the_limit_fills_it_and_nothing_more_is_paid_for():
    meter = Meter(Budgets(money_usd=0.5))
    assert meter.take_money(Fraction(2, 5)) == Fraction(2, 5)
    assert meter.exhausted is None
    assert meter.take_money(Fraction(2, 5)) == Fraction(1, 10)
    assert (meter.money_spent, meter.exhausted) == (Fraction(1, 2), "money_usd")
    assert not meter.try_spend_together({"attacker_calls": 1})
    assert Meter(Budgets()).take_money(Fraction(9)) == 9
    with pytest.raises(ValueError, match="negative"):
        meter.take_money(Fraction(-1))
