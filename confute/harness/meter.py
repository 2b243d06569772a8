"""The one gate through which budgets are spent; a limit is never passed by one unit, also under concurrency."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Literal, get_args

from confute.contract import Budgets

Resource = Literal[
    "victim_queries",
    "attacker_calls",
    "attacker_tokens",
    "retrieval_attempts",
    "judge_calls",
]
"""What is spent in whole units; money and wall-clock time have their own methods."""


class Meter:
    """Spends the budgets of one search; a limit of None is no limit.

    Wall-clock time runs from the making of the meter: once it is over, nothing more is granted. Money is kept as an
    exact fraction of a dollar, so that no sum of prices drifts over or under its limit.
    """

    def __init__(self, budgets: Budgets, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits: dict[Resource, int | None] = {name: getattr(budgets, name) for name in get_args(Resource)}
        self._spent: dict[Resource, int] = dict.fromkeys(self._limits, 0)
        self._money_limit = None if budgets.money_usd is None else _exact(budgets.money_usd)
        self._money = Fraction(0)
        self._is_overbilled = False
        self._clock = clock
        self._deadline = None if budgets.wall_clock_s is None else clock() + budgets.wall_clock_s
        self._asked: set[str] = set()
        self._requested = 0
        self._exhausted: str | None = None
        self._lock = threading.Lock()

    @property
    def exhausted(self) -> str | None:
        """The first budget that refused something, by its name in the contract; None while none has."""
        with self._lock:
            return self._exhausted

    @property
    def requested(self) -> int:
        """How many victim queries were asked for, repeated and refused ones included."""
        with self._lock:
            return self._requested

    @property
    def unique(self) -> int:
        """How many different victim queries were granted and charged."""
        with self._lock:
            return len(self._asked)

    @property
    def money_spent(self) -> Fraction:
        """The dollars spent, exactly."""
        with self._lock:
            return self._money

    def spent(self, resource: Resource) -> int:
        """Return how many units of a resource are spent."""
        with self._lock:
            return self._spent[resource]

    def remaining(self, resource: Resource) -> int | None:
        """Return how many units may still be spent; None where there is no limit."""
        with self._lock:
            limit = self._limits[resource]
            return None if limit is None else limit - self._spent[resource]

    def try_spend(self, resource: Resource, amount: int = 1) -> bool:
        """Spend all of the amount and tell so, or spend nothing. Raises ValueError where the amount is negative."""
        with self._lock:
            if self._fitting(resource, amount) < amount:
                return False
            self._spent[resource] += amount
            return True

    def take(self, resource: Resource, wanted: int) -> int:
        """Spend as much of the wanted amount as fits and return how much. Raises ValueError where it is negative."""
        with self._lock:
            granted = self._fitting(resource, wanted)
            self._spent[resource] += granted
            return granted

    def try_spend_money(self, dollars: Decimal | float | Fraction) -> bool:
        """Spend all of the dollars and tell so, or spend nothing. Raises ValueError where they are negative."""
        return self.try_spend_together({}, dollars)

    def take_money(self, dollars: Fraction) -> Fraction:
        """Spend as much of the dollars as fits and return how much; where some do not, nothing more is paid for.

        It is for what was billed above its bound: the whole bill is due, whatever the limit. Raises ValueError where
        the dollars are negative.
        """
        if dollars < 0:
            raise ValueError(f"cannot spend a negative amount: {dollars}")
        with self._lock:
            granted = dollars if self._money_limit is None else min(dollars, self._money_limit - self._money)
            self._money += granted
            if granted < dollars:
                self._is_overbilled = True
                self._refuse("money_usd")
            return granted

    def try_spend_together(self, amounts: Mapping[Resource, int], dollars: Decimal | float | Fraction = 0) -> bool:
        """Spend several resources and dollars at once and tell so, or spend none of them.

        Raises ValueError where an amount is negative.
        """
        price = _exact(dollars)
        if price < 0:
            raise ValueError(f"cannot spend a negative amount: {dollars}")
        with self._lock:
            if self._is_over_time() or any(self._fitting(name, wanted) < wanted for name, wanted in amounts.items()):
                return False
            if self._is_overbilled or (self._money_limit is not None and self._money + price > self._money_limit):
                self._refuse("money_usd")
                return False
            for name, wanted in amounts.items():
                self._spent[name] += wanted
            self._money += price
            return True

    def give_back(self, resource: Resource, amount: int, dollars: Fraction = Fraction(0)) -> None:
        """Return what was spent beforehand as an upper bound and was not used. Raises ValueError for more than that."""
        with self._lock:
            if not (0 <= amount <= self._spent[resource] and 0 <= dollars <= self._money):
                raise ValueError(f"cannot give back {amount} {resource} and {dollars} dollars")
            self._spent[resource] -= amount
            self._money -= dollars

    def forget_refusal(self) -> None:
        """Take back the last refusal: what was asked for too early is asked for again."""
        with self._lock:
            self._exhausted = None

    def charge_queries(self, keys: Iterable[str]) -> tuple[str, ...]:
        """Return the keys whose queries are granted, in order; a key granted before is granted again without charge.

        A key stands for a pair and a repeat index, so that one repeat is never answered for by another.
        """
        with self._lock:
            return tuple(key for key in keys if self._charge_query(key))

    def _charge_query(self, key: str) -> bool:
        self._requested += 1
        if key in self._asked:
            return True
        if not self._fitting("victim_queries", 1):
            return False
        self._asked.add(key)
        self._spent["victim_queries"] += 1
        return True

    def _fitting(self, resource: Resource, wanted: int) -> int:
        if wanted < 0:
            raise ValueError(f"cannot spend a negative amount: {wanted}")
        if self._is_over_time():
            return 0
        limit = self._limits[resource]
        fitting = wanted if limit is None else min(wanted, limit - self._spent[resource])
        if fitting < wanted:
            self._refuse(resource)
        return fitting

    def _is_over_time(self) -> bool:
        over = self._deadline is not None and self._clock() >= self._deadline
        if over:
            self._refuse("wall_clock_s")
        return over

    def _refuse(self, resource: str) -> None:
        self._exhausted = self._exhausted or resource


def _exact(dollars: Decimal | float | Fraction) -> Fraction:
    return dollars if isinstance(dollars, Fraction) else Fraction(str(dollars))
