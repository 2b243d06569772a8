"""What changed between a claim and a candidate: the changed spans, laid on the slots that can explain them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from confute import text
from confute.oracles.text.findings import Finding, Slot, Swap


@dataclass(frozen=True, slots=True)
class Frame:
    """A reading of the source, with or without one exchange of arguments, and the slots as they lie in it."""

    words: tuple[text.Span, ...]
    tokens: tuple[str, ...]
    slots: tuple[Slot, ...]
    swap: Swap | None


def frames(claim: str, slots: Sequence[Slot], swaps: Sequence[Swap]) -> tuple[Frame, ...]:
    """Return the claim as it stands, and once for each exchange of arguments."""
    return (_frame(claim, slots, None), *(_frame(_exchanged(claim, swap), _moved(slots, swap), swap) for swap in swaps))


def nearest(frames_: Sequence[Frame], tokens: Sequence[str]) -> Frame:
    """Return the first frame from which a candidate differs least."""
    return min(frames_, key=lambda frame: Levenshtein.distance(frame.tokens, tokens))


def explain(frame: Frame, candidate: str) -> list[tuple[Finding, Slot]] | None:
    """Return what each change between a frame and a candidate does, or None where one is not recognised."""
    words = text.spans(candidate)
    matches = Levenshtein.opcodes(frame.tokens, tuple(word.text for word in words))
    raw = [(op.src_start, op.src_end, op.dest_start, op.dest_end) for op in matches if op.tag != "equal"]
    found = []
    while raw:
        explained = _explain_first(frame, raw, words, candidate)
        if explained is None:
            return None
        finding, slot, used = explained
        found.append((finding, slot))
        raw = raw[used:]
    return found


def _explain_first(
    frame: Frame, raw: list[tuple[int, int, int, int]], words: tuple[text.Span, ...], candidate: str
) -> tuple[Finding, Slot, int] | None:
    """Return what the first change does, the slot that explains it, and how many changes lie in that slot."""
    for slot in frame.slots:
        bounds = _token_range(frame.words, slot)
        if bounds is None or not bounds[0] <= raw[0][0] <= raw[0][1] <= bounds[1]:
            continue
        inside = [change for change in raw if bounds[0] <= change[0] and change[1] <= bounds[1]]
        for used in range(len(inside), 0, -1):
            last = inside[used - 1]
            first_word = raw[0][2] - (raw[0][0] - bounds[0])
            past_word = last[3] + (bounds[1] - last[1])
            if first_word >= past_word:
                continue
            new = candidate[words[first_word].start : words[past_word - 1].end]
            finding = slot.judge(new)
            if finding is not None:
                return finding, slot, used
    return None


def _token_range(words: tuple[text.Span, ...], slot: Slot) -> tuple[int, int] | None:
    inside = [index for index, word in enumerate(words) if slot.start <= word.start and word.end <= slot.end]
    return (inside[0], inside[-1] + 1) if inside else None


def _frame(claim: str, slots: Sequence[Slot], swap: Swap | None) -> Frame:
    words = text.spans(claim)
    return Frame(words, tuple(word.text for word in words), tuple(slots), swap)


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
