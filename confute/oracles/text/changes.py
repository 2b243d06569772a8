"""What changed between a claim and a candidate: the changed spans, laid on the slots that can explain them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from confute import text
from confute.oracles.text.findings import Finding, Slot, Swap

_LONGEST_GROWTH = 12

Explanation = tuple[tuple[Finding, Slot], ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """A reading of the source, with or without one exchange of arguments.

    `starts` holds, by the index of a token, the slots that begin there, each with the index past its last token.
    """

    tokens: tuple[str, ...]
    starts: dict[int, tuple[tuple[int, Slot], ...]]
    swap: Swap | None


def frames(claim: str, slots: Sequence[Slot], swaps: Sequence[Swap]) -> tuple[Frame, ...]:
    """Return the claim as it stands, and once for each exchange of arguments."""
    return (_frame(claim, slots, None), *(_frame(_exchanged(claim, swap), _moved(slots, swap), swap) for swap in swaps))


def nearest(frames_: Sequence[Frame], tokens: Sequence[str]) -> Frame:
    """Return the first frame from which a candidate differs least."""
    return min(frames_, key=lambda frame: Levenshtein.distance(frame.tokens, tokens))


def explain(frame: Frame, candidate: str) -> Explanation | None:
    """Return what each change between a frame and a candidate does, or None where one is not recognised.

    The two texts are walked together, token by token; where they part, the walk goes back to the last slot and takes
    any text for it that the slot's guard recognises and after which both go on.
    """
    words = text.spans(candidate)
    todo: list[tuple[int, int, Explanation, bool]] = [(0, 0, (), False)]
    seen: set[tuple[int, int]] = set()
    while todo:
        at, to, found, parting = todo.pop()
        if parting:
            todo.extend(reversed(list(_taken(frame, candidate, words, (at, to, found)))))
            continue
        if at == len(frame.tokens) and to == len(words):
            return found
        if (at, to) in seen:
            continue
        seen.add((at, to))
        if at in frame.starts:
            todo.append((at, to, found, True))
        if at < len(frame.tokens) and to < len(words) and frame.tokens[at] == words[to].text:
            todo.append((at + 1, to + 1, found, False))
    return None


def _taken(
    frame: Frame, candidate: str, words: tuple[text.Span, ...], state: tuple[int, int, Explanation]
) -> Iterator[tuple[int, int, Explanation, bool]]:
    """Yield the states after each text that a slot at this place is recognised to have taken."""
    at, to, found = state
    for past, slot in frame.starts[at]:
        for end in range(to + 1, min(len(words), to + past - at + _LONGEST_GROWTH) + 1):
            if not _goes_on(frame, words, past, end):
                continue
            finding = slot.judge(candidate[words[to].start : words[end - 1].end])
            if finding is not None:
                yield past, end, (*found, (finding, slot)), False


def _goes_on(frame: Frame, words: tuple[text.Span, ...], at: int, to: int) -> bool:
    if at == len(frame.tokens) or to == len(words):
        return at == len(frame.tokens) and to == len(words)
    return frame.tokens[at] == words[to].text or at in frame.starts


def _token_range(words: tuple[text.Span, ...], slot: Slot) -> tuple[int, int] | None:
    inside = [index for index, word in enumerate(words) if slot.start <= word.start and word.end <= slot.end]
    return (inside[0], inside[-1] + 1) if inside else None


def _frame(claim: str, slots: Sequence[Slot], swap: Swap | None) -> Frame:
    words = text.spans(claim)
    starts: dict[int, tuple[tuple[int, Slot], ...]] = {}
    for slot in slots:
        bounds = _token_range(words, slot)
        if bounds is not None:
            starts[bounds[0]] = (*starts.get(bounds[0], ()), (bounds[1], slot))
    return Frame(tuple(word.text for word in words), starts, swap)


def _exchanged(claim: str, swap: Swap) -> str:
    (start, end), (then, last) = swap.left, swap.right
    return claim[:start] + swap.new_left + claim[end:then] + swap.new_right + claim[last:]


def _moved(slots: Sequence[Slot], swap: Swap) -> tuple[Slot, ...]:
    """Return the slots where they lie after an exchange; those that cross a border of it are left out."""
    (start, end), (then, last) = swap.left, swap.right
    longer = len(swap.new_left) - (end - start)
    moved = []
    for slot in slots:
        if slot.end <= start or slot.start >= last:
            shift = 0 if slot.end <= start else longer + len(swap.new_right) - (last - then)
        elif end <= slot.start and slot.end <= then:
            shift = longer
        else:
            continue
        moved.append(Slot(slot.start + shift, slot.end + shift, slot.name, slot.offers, slot.judge))
    return tuple(moved)
