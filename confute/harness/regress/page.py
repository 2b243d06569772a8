"""A regression as a page: what is unexpected first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeVar

from confute.harness.judging.page import Page, Part
from confute.harness.regress.findings import Findings, KnownRow
from confute.harness.regress.persona import PersonaRegression, PersonaRow
from confute.harness.regress.regression import Regression, RegressionRow
from confute.harness.regress.relations import Finding
from confute.harness.regress.standing import standing
from confute.records import Score

_HEAD = ("counterexample", "status", "relation", "held", "policy", "held", "passed", "says", "due")
_PERSONA_HEAD = ("counterexample", "status", "probe", "failed", "untold", "passed", "says", "due")
Row = TypeVar("Row", bound=KnownRow)


def page(found: Regression) -> Page:
    """Return what a detector showed as a page of one table, with the error codes of what was not measured."""
    table = Part("counterexamples", _HEAD, tuple(map(_cells, _unexpected_first(found.rows))))
    return _page(found, _lines(found), table, Counter(code for row in found.rows for code in _codes(row)))


def persona_page(found: PersonaRegression) -> Page:
    """Return what a persona showed as such a page."""
    table = Part("counterexamples", _PERSONA_HEAD, tuple(map(_persona_cells, _unexpected_first(found.rows))))
    codes: Counter[str] = Counter()
    for row in found.rows:
        codes.update(row.counts.errors)
        codes["not told by judges"] += row.counts.inconclusive
    return _page(found, _persona_lines(found), table, +codes)


def _page(found: Findings, lines: Iterator[str], table: Part, codes: Counter[str]) -> Page:
    expected = sum(row.standing.expected for row in found.rows)
    title = f"regress {found.corpus}: {expected} of {len(found.rows)} as expected"
    told = ", ".join(f"{count} {words}" for words, count in found.counts.items())
    left = tuple((code, str(count)) for code, count in codes.most_common())
    parts = (table, Part("not measured", ("code", "times"), left)) if left else (table,)
    return Page(title, () if found.is_as_expected else (told,), tuple(lines), parts)


def _unexpected_first(rows: Sequence[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: row.standing.expected)


def _persona_lines(found: PersonaRegression) -> Iterator[str]:
    victim = found.victim
    yield f"persona {victim.persona}, version {victim.version[:12]}, fingerprint of its model {victim.fingerprint[:12]}"
    yield from _figures(found)
    yield "fails where ceil(0.8 r) of r replays fail, and holds where all are resisted"
    if others := sum(not row.same_judges for row in found.rows):
        yield f"judged by another version than when it was found: {others}"
    yield from _due(found)


def _persona_cells(row: PersonaRow) -> tuple[str, ...]:
    counts = row.counts
    return (
        row.attack_id,
        str(row.status),
        row.case_id,
        _told((counts.failed, counts.replays)),
        str(counts.inconclusive + counts.erroneous),
        _told((row.passes, row.measured)),
        *_says(row),
    )


def _lines(found: Regression) -> Iterator[str]:
    victim = found.victim
    yield (
        f"victim {victim.detector}, version {victim.version}, fingerprint {victim.fingerprint[:12]}, "
        f"threshold {found.threshold:g}"
    )
    if found.band is not None:
        yield (
            f"policy: accepted up to {found.band.low:.4g}, rejected over {found.band.high:.4g}; what is reviewed "
            "between them is not accepted, and counts as caught"
        )
    yield from _figures(found)
    yield (
        f"a risk stays where at most {found.tolerance:.0%} of {found.reference_n} un-edited claims lie between its two "
        "values"
    )
    undecided = sum(any(vote.relation is Finding.UNDECIDED for vote in row.replay.votes) for row in found.rows)
    if undecided:
        yield f"relation not decided for {undecided}: fewer than 10 un-edited claims were measured"
    if wrong := sum(row.is_original_wrong for row in found.rows):
        yield f"the original claim is decided wrongly, too, for {wrong}"
    if found.is_constant:
        yield "all un-edited claims have one and the same risk: nothing that holds is mitigated by such a detector"
    if unproven := sum(
        row.standing.due is None and standing(row.status, row.state).due is not None for row in found.rows
    ):
        yield (
            f"holds, and stays as it is, for {unproven}: nothing is mitigated where the original claim is decided "
            "wrongly, too, or where all risks are the same"
        )
    yield from _due(found)


def _figures(found: Findings) -> Iterator[str]:
    held, n, interval = found.held
    if interval is not None:
        yield f"held in every replay: {held} of {n} measured, 95 % {interval.low:.3f} to {interval.high:.3f}"
    told = (
        f"pass^{one.k} {'-' if one.value is None else f'{one.value:.3f}'} (n={one.cases})" for one in found.pass_hat
    )
    yield f"{found.replays} replays each: {', '.join(told)}"


def _due(found: Findings) -> Iterator[str]:
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
        *_says(row),
    )


def _says(row: KnownRow) -> tuple[str, str]:
    return row.standing.words, "" if row.standing.due is None else str(row.standing.due)


def _told(held: tuple[int, int]) -> str:
    return f"{held[0]}/{held[1]}"


def _codes(row: RegressionRow) -> Iterator[str]:
    for vote in row.replay.votes:
        yield from (_code(score) for score in (vote.pre, vote.post) if score.value is None)


def _code(score: Score) -> str:
    return score.error_code or score.state.value.lower()
