"""A test run again and again: pass^k over a number of runs, or a sequential test of how often it fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from pydantic import Field, ValidationError, model_validator

from confute.errors import problem_of
from confute.harness.stats.confidence_sequence import confidence_sequence
from confute.harness.stats.flake import disagreement, pass_at_k, pass_hat_k
from confute.harness.stats.proportion import wilson
from confute.harness.stats.sequential import Sprt, SprtState
from confute.records import Record

PROPERTY = "confute_runs"
_REDRAWS = 2
_MESSAGE_CHARS = 200


class Repeat(Record):
    """A plan of the marker confute_repeat: `n` runs (by default k), whose pass^k must be at least `at_least`.

    Runs that end in an error are drawn again, `redraws` times at most.
    """

    k: int = Field(default=3, ge=1, le=1_000)
    n: int | None = Field(default=None, ge=1, le=1_000)
    at_least: float = Field(default=1.0, gt=0, le=1)
    redraws: int = Field(default=_REDRAWS, ge=0)

    @model_validator(mode="after")
    def _enough_runs(self) -> Repeat:
        if self.n is not None and self.n < self.k:
            raise ValueError(f"n must be at least k; got n={self.n} and k={self.k}")
        return self


class Sequential(Sprt):
    """A plan of the marker confute_sprt: Wald's test of the share of runs that fail."""

    redraws: int = Field(default=_REDRAWS, ge=0)


class Runs(NamedTuple):
    """How many runs passed, how each of the others failed, and the errors in which runs ended instead."""

    passes: int = 0
    failures: tuple[BaseException, ...] = ()
    errors: tuple[Exception, ...] = ()

    @property
    def measured(self) -> int:
        """How many runs gave an outcome."""
        return self.passes + len(self.failures)


class RunsFail(AssertionError):  # noqa: N818  a verdict of a test, as AssertionError itself
    """The test fails more often than it may, or it cannot be told within the cap."""


class RunsNotMeasured(Exception):  # noqa: N818
    """Too many runs ended in an error, which says nothing of the system under test."""


def repeated(item: pytest.Function, marker: pytest.Mark, once: Callable[[], None]) -> None:
    """Run a test as its marker says, and keep what came of it in the report.

    An AssertionError or `pytest.fail` is a failure; any other exception is an error of the run and no outcome. Raises
    RunsFail and RunsNotMeasured, fails the test for a marker that makes no sense, and raises whatever skips it, unless
    a run failed or ended in an error before.
    """
    __tracebackhide__ = True
    plan = _plan(marker)
    runs = Runs()
    while (runs.measured == 0 or not _has_ended(plan, runs)) and len(runs.errors) <= plan.redraws:
        try:
            runs = _after(runs, once)
        except pytest.skip.Exception as skipped:
            _refuse_to_skip(plan, runs, skipped)
            raise
    told = _told(plan, runs)
    item.user_properties.append((PROPERTY, told))
    if len(runs.errors) > plan.redraws:
        last = runs.errors[-1]
        raise RunsNotMeasured(f"ERROR: {told}\n  the last error: {type(last).__name__}: {_message(last)}") from last
    _judge(plan, runs, told)


def _plan(marker: pytest.Mark) -> Repeat | Sequential:
    kind: type[Repeat | Sequential] = Repeat if marker.name == "confute_repeat" else Sequential
    if marker.args:
        pytest.fail(f"{marker.name}: give arguments by name, of {', '.join(kind.model_fields)}", pytrace=False)
    try:
        return kind.model_validate(marker.kwargs, strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        pytest.fail(f"{marker.name}: {where}: {problem_of(first)}; got {first['input']!r:.80}", pytrace=False)


def _after(runs: Runs, once: Callable[[], None]) -> Runs:
    try:
        once()
    except (AssertionError, pytest.fail.Exception) as failure:
        return runs._replace(failures=(*runs.failures, failure))
    except Exception as error:
        return runs._replace(errors=(*runs.errors, error))
    return runs._replace(passes=runs.passes + 1)


def _refuse_to_skip(plan: Repeat | Sequential, runs: Runs, skipped: BaseException) -> None:
    __tracebackhide__ = True
    seen = (*runs.failures, *runs.errors)
    if not seen:
        return
    kind = RunsFail if runs.failures else RunsNotMeasured
    told = f"skipped in a later run ({_message(skipped)}), which undoes nothing: {_told(plan, runs)}"
    raise kind(f"{told}\n  the first failure or error: {_message(seen[0])}") from seen[0]


def _has_ended(plan: Repeat | Sequential, runs: Runs) -> bool:
    if isinstance(plan, Repeat):
        return runs.measured >= (plan.n or plan.k)
    return plan.answer(len(runs.failures), runs.measured) is not SprtState.OPEN


def _judge(plan: Repeat | Sequential, runs: Runs, told: str) -> None:
    __tracebackhide__ = True
    why = _why_no_pass(plan, runs)
    if why is not None:
        last = runs.failures[-1] if runs.failures else None
        raise RunsFail(f"{why}: {told}" + (f"\n  the last failure: {_message(last)}" if last else "")) from last


def _why_no_pass(plan: Repeat | Sequential, runs: Runs) -> str | None:
    if isinstance(plan, Repeat):
        share = pass_hat_k(runs.passes, runs.measured, plan.k)
        return None if share is not None and share >= plan.at_least else f"pass^{plan.k} is below {plan.at_least:g}"
    state = plan.answer(len(runs.failures), runs.measured)
    if state is SprtState.INCONCLUSIVE:
        return f"INCONCLUSIVE at the cap of {plan.cap} runs, and so no pass"
    return None if state is SprtState.CLEARED else f"fails in {plan.p1:g} of runs or more"


def _told(plan: Repeat | Sequential, runs: Runs) -> str:
    n, failed = runs.measured, len(runs.failures)
    errors = f", errors: {len(runs.errors)}" if runs.errors else ""
    if isinstance(plan, Repeat):
        every, some = pass_hat_k(runs.passes, n, plan.k), pass_at_k(runs.passes, n, plan.k)
        differ, interval = disagreement(runs.passes, n), wilson(runs.passes, n)
        ends = "" if interval is None else f" (95 % {interval.low:.3f} to {interval.high:.3f})"
        figures = f"pass^{plan.k} {_figure(every)}, pass@{plan.k} {_figure(some)}, disagreement {_figure(differ)}"
        return f"{runs.passes} of {n} runs passed{ends}, {figures}{errors}"
    low, high = confidence_sequence(failed, n)
    state = plan.answer(failed, n)
    return f"{state}: {failed} of {n} runs failed (95 % at any stop {low:.3f} to {high:.3f}){errors}"


def _message(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:_MESSAGE_CHARS]


def _figure(value: Any) -> str:
    return "-" if value is None else f"{value:.3f}"
