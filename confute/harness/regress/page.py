"""A regression as a page: what is unexpected first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from confute.harness.judging.page import Page, Part
from confute.harness.regress.regression import Regression, RegressionRow
from confute.harness.regress.relations import Finding
from confute.records import Score

_HEAD = ("counterexample", "status", "relation", "held", "policy", "held", "passed", "says", "due")


def page(found: Regression) -> Page:
    """Return a regression as a page of one table, with the error codes of what was not measured."""
    unexpected = [row for row in found.rows if not row.standing.expected]
    rows = [*unexpected, *(row for row in found.rows if row.standing.expected)]
    parts = [Part("counterexamples", _HEAD, tuple(_cells(row) for row in rows))]
    if codes := Counter(code for row in found.rows for code in _codes(row)):
        parts.append(Part("not measured", ("code", "scores"), tuple((code, str(n)) for code, n in codes.most_common())))
    title = f"regress {found.corpus}: {len(found.rows) - len(unexpected)} of {len(found.rows)} as expected"
    warnings = (", ".join(f"{count} {words}" for words, count in found.counts.items()),) if unexpected else ()
    return Page(title, warnings, tuple(_lines(found)), tuple(parts))


def _lines(found: Regression) -> Iterator[str]:
    victim = found.victim
    yield (
        f"victim {victim.detector}, version {victim.version}, fingerprint {victim.fingerprint[:12]}, "
        f"threshold {found.threshold:g}"
    )
    held, n, interval = found.held
    if interval is not None:
        yield f"held in every replay: {held} of {n} measured, 95 % {interval.low:.3f} to {interval.high:.3f}"
    told = (
        f"pass^{one.k} {'-' if one.value is None else f'{one.value:.3f}'} (n={one.cases})" for one in found.pass_hat
    )
    yield f"{found.replays} replays each: {', '.join(told)}"
    yield (
        f"a risk stays where at most {found.tolerance:.0%} of {found.reference_n} un-edited claims lie between its two "
        "values"
    )
    undecided = sum(any(vote.relation is Finding.UNDECIDED for vote in row.replay.votes) for row in found.rows)
    if undecided:
        yield f"relation not decided for {undecided}: fewer than 10 un-edited claims were measured"
    if wrong := sum(row.is_original_wrong for row in found.rows):
        yield f"the original claim is decided wrongly, too, for {wrong}"
    due = Counter(str(row.standing.due) for row in found.rows if row.standing.due is not None)
    if due:
        yield f"due by --update: {', '.join(f'{count} to {status}' for status, count in sorted(due.items()))}"


def _cells(row: RegressionRow) -> tuple[str, ...]:
    replay = row.replay
    return (
        replay.attack_id,
        str(row.status),
        str(replay.relation).replace("_", " "),
        _told(replay.finding(lambda vote: vote.relation)),
        str(replay.policy).replace("_", " ").lower(),
        _told(replay.finding(lambda vote: vote.policy)),
        _told((row.passes, row.measured)),
        row.standing.words,
        "" if row.standing.due is None else str(row.standing.due),
    )


def _told(held: tuple[int, int]) -> str:
    return f"{held[0]}/{held[1]}"


def _codes(row: RegressionRow) -> Iterator[str]:
    for vote in row.replay.votes:
        yield from (_code(score) for score in (vote.pre, vote.post) if score.value is None)


def _code(score: Score) -> str:
    return score.error_code or score.state.value.lower()
