"""Rules for a claim and its evidence: word for word support, and the few contradictions that words alone show."""

from __future__ import annotations

from itertools import pairwise

from confute.judges.judge import Exhibit
from confute.judges.rules.context import Context, Finding
from confute.judges.rules.lexicon import Cue
from confute.judges.rules.sentences import read
from confute.judges.rules.words import content, names, numbers, words

_MIN_SHARED = 2


def supported(exhibit: Exhibit, context: Context) -> Finding | None:
    """Fire where one sentence of the evidence holds the claim's words in order, and no more reserve than the claim."""
    claim = words(exhibit.claim)
    for sentence in _evidence(exhibit):
        if (
            len(claim) > _MIN_SHARED
            and _is_subsequence(claim, words(sentence))
            and not _more(sentence, exhibit, context)
        ):
            return Finding("the evidence says it in the same words", sentence)
    return None


def not_supported(exhibit: Exhibit, context: Context) -> Finding | None:
    """Fire on a number or name that the evidence lacks, another unit, an added negation, or some turned into all."""
    evidence = "\n".join(exhibit.evidence)
    if not evidence.strip() or not exhibit.claim.strip():
        return None
    if missing := numbers(exhibit.claim) - numbers(evidence):
        return Finding(f"not in the evidence: {', '.join(sorted(missing))}", exhibit.claim)
    if missing := names(exhibit.claim) - frozenset(words(evidence)):
        return Finding(f"not in the evidence: {', '.join(sorted(missing))}", exhibit.claim)
    return _other_unit(exhibit, context) or _turned(exhibit, context)


def _other_unit(exhibit: Exhibit, context: Context) -> Finding | None:
    claimed, shown = (_units(text, context) for text in (exhibit.claim, "\n".join(exhibit.evidence)))
    for number in sorted(claimed.keys() & shown.keys()):
        if not claimed[number] & shown[number]:
            return Finding(f"another unit for {number}", exhibit.claim)
    return None


def _units(text: str, context: Context) -> dict[str, set[str]]:
    said = words(text)
    units: dict[str, set[str]] = {}
    for number, unit in pairwise(said):
        match = context.lexicon.found(Cue.UNITS, unit)
        if number[0].isdigit() and match is not None and match.group() == unit:
            units.setdefault(number, set()).add(unit.removesuffix("s"))
    return units


def _turned(exhibit: Exhibit, context: Context) -> Finding | None:
    """A claim that negates, or says of all, what a sentence with nearly all its words says plainly, or of some."""
    claim = " ".join(words(exhibit.claim))
    negative, universal = (context.lexicon.has(cue, claim) for cue in (Cue.NEGATES, Cue.UNIVERSALS))
    for sentence in _evidence(exhibit):
        said = " ".join(words(sentence))
        if len(content(exhibit.claim) - content(sentence)) > 1:
            continue
        if negative and not context.lexicon.has(Cue.NEGATES, said):
            return Finding("denies what the evidence says", exhibit.claim)
        if universal and not negative and context.lexicon.has(Cue.PARTIALS, said):
            return Finding("says of all what the evidence says of some", exhibit.claim)
    return None


def _more(sentence: str, exhibit: Exhibit, context: Context) -> bool:
    """Whether a sentence negates, reports or restricts where the claim does not."""
    cues = (Cue.NEGATES, Cue.REPORTS, Cue.PARTIALS, Cue.HEDGES)
    said, claim = " ".join(words(sentence)), " ".join(words(exhibit.claim))
    return any(context.lexicon.has(cue, said) != context.lexicon.has(cue, claim) for cue in cues)


def _evidence(exhibit: Exhibit) -> list[str]:
    return [sentence.text for text in exhibit.evidence for sentence in read(text).sentences]


def _is_subsequence(wanted: tuple[str, ...], said: tuple[str, ...]) -> bool:
    rest = iter(said)
    return all(word in rest for word in wanted)
