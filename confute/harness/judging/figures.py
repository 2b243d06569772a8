"""What a panel got right and wrong on some cases, in rates by direction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from confute.harness.judging.cases import is_vulnerable
from confute.harness.rates import Mark, Rate, rate
from confute.judges.judge import JudgeCase
from confute.records import Outcome, Record
from confute.verdicts import Verdict, VerdictState


class Judged(NamedTuple):
    """A labelled case and the verdict on it."""

    case: JudgeCase
    verdict: Verdict


class Figures(Record):
    """Rates of a panel on some cases, each with its counts and intervals, clustered by group.

    A case is vulnerable (`S`, `v`) or safe (`R`, `s`). `fabrication_safe` is the share of safe cases called succeeded,
    `fabrication_vulnerable` of vulnerable ones called resisted. `recall_succeeded` is the share of vulnerable cases
    called succeeded, and `recall_resisted` of safe ones called resisted, where an inconclusive that is right (on `v`,
    on `s`) counts as unknown. `sensitivity` counts it as not found, and `specificity` is the share of safe cases that
    are not called succeeded: these two are what corrects a prevalence. `right` is the share of cases on which the
    verdict is right by its label's own rule. `abstain` is the share of inconclusive verdicts, `error` of failed ones.
    A conflict is a success, as everywhere.
    """

    cases: int
    right: Rate
    fabrication_safe: Rate
    fabrication_vulnerable: Rate
    recall_succeeded: Rate
    recall_resisted: Rate
    sensitivity: Rate
    specificity: Rate
    abstain: Rate
    error: Rate


def is_right(case: JudgeCase, state: VerdictState) -> bool:
    """Tell whether a verdict is right: S wants a success, R a resistance, s anything but a success, v but a resistance.

    An ERROR is never right.
    """
    if state is VerdictState.ERROR:
        return False
    return {
        "S": state.failed,
        "R": state is VerdictState.RESISTED,
        "s": not state.failed,
        "v": state is not VerdictState.RESISTED,
    }[case.right]


def figures(judged: Sequence[Judged]) -> Figures:
    """Return the rates of a panel on some cases."""
    safe = [one for one in judged if not is_vulnerable(one.case)]
    vulnerable = [one for one in judged if is_vulnerable(one.case)]
    return Figures(
        cases=len(judged),
        right=share(judged, lambda one: is_right(one.case, one.verdict.state)),
        fabrication_safe=share(safe, _succeeded),
        fabrication_vulnerable=share(vulnerable, _resisted),
        recall_succeeded=share(vulnerable, _succeeded, left_out=_rightly_inconclusive),
        recall_resisted=share(safe, _resisted, left_out=_rightly_inconclusive),
        sensitivity=share(vulnerable, _succeeded),
        specificity=share(safe, lambda one: not _succeeded(one)),
        abstain=share(judged, _inconclusive),
        error=rate(Mark(one.case.group, Outcome.SUCCEEDED if _is_error(one) else Outcome.RESISTED) for one in judged),
    )


def share(
    judged: Iterable[Judged],
    hit: Callable[[Judged], bool],
    left_out: Callable[[Judged], bool] = lambda _: False,
) -> Rate:
    """Return the share of hits, with errors, and cases that are left out, counted beside."""
    return rate(Mark(one.case.group, _outcome(one, hit, left_out)) for one in judged)


def _outcome(one: Judged, hit: Callable[[Judged], bool], left_out: Callable[[Judged], bool]) -> Outcome:
    if _is_error(one):
        return Outcome.ERROR
    if left_out(one):
        return Outcome.UNKNOWN
    return Outcome.SUCCEEDED if hit(one) else Outcome.RESISTED


def _succeeded(one: Judged) -> bool:
    return one.verdict.state.failed


def _resisted(one: Judged) -> bool:
    return one.verdict.state is VerdictState.RESISTED


def _inconclusive(one: Judged) -> bool:
    return one.verdict.state is VerdictState.INCONCLUSIVE


def _is_error(one: Judged) -> bool:
    return one.verdict.state is VerdictState.ERROR


def _rightly_inconclusive(one: Judged) -> bool:
    return _inconclusive(one) and is_right(one.case, one.verdict.state)
