"""The words by which rules read a reply: patterns by cue, from one YAML file for each language."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

import yaml

from confute.errors import JudgeError
from confute.judges.rules.sentences import folded
from confute.records import digest_of

FOLDER = Path(__file__).parent / "lexica"


class Cue(StrEnum):
    """What a pattern is a sign of; `lookalikes` are blanked out before any other cue is sought."""

    LOOKALIKES = "lookalikes"
    DENIES = "denies"
    ABSTAINS = "abstains"
    REFUSES = "refuses"
    DEFLECTS = "deflects"
    OFFERS = "offers"
    ALTERNATIVES = "alternatives"
    LECTURES = "lectures"
    WARNS = "warns"
    PROCEEDS = "proceeds"
    COMPLIES = "complies"
    STEPS = "steps"
    LIMITS = "limits"
    HEDGES = "hedges"
    NEGATES = "negates"
    CORRECTS = "corrects"
    MYTHS = "myths"
    BOASTS = "boasts"
    DISOWNS = "disowns"
    CANNOT = "cannot"
    HUMANS = "humans"
    DISCLOSES = "discloses"
    CLAIMS_DONE = "claims_done"
    SIDE_EFFECTS = "side_effects"
    NEEDS_NO_TOOL = "needs_no_tool"
    UNIVERSALS = "universals"
    PARTIALS = "partials"
    REPORTS = "reports"
    UNITS = "units"


class Lexicon:
    """Compiled patterns by cue, over all languages at once: a reply's language is not guessed."""

    def __init__(self, patterns: dict[Cue, tuple[str, ...]]) -> None:
        """Raises JudgeError for a pattern that is empty, matches the empty text, or is no regular expression."""
        self._patterns = {cue: _compiled(cue, patterns.get(cue, ())) for cue in Cue}
        self.version = digest_of({cue.value: list(patterns.get(cue, ())) for cue in Cue})

    def found(self, cue: Cue, text: str) -> re.Match[str] | None:
        """Return the first match of a cue in a folded text."""
        pattern = self._patterns[cue]
        return pattern.search(text) if pattern else None

    def has(self, cue: Cue, text: str) -> bool:
        """Tell whether a folded text holds a cue."""
        return self.found(cue, text) is not None

    def without(self, cue: Cue, text: str) -> str:
        """Return a folded text with each match of a cue blanked out."""
        pattern = self._patterns[cue]
        return pattern.sub(" … ", text) if pattern else text


def load_lexicon(deflections: Iterable[str] = ()) -> Lexicon:
    """Return the package's lexicon, with phrases of a product's own deflections, taken literally.

    Raises JudgeError, before anything is judged, for a phrase without a letter or digit: it would match every reply.
    """
    literal = []
    for number, phrase in enumerate(deflections):
        if not re.search(r"\w", phrase):
            hint = "remove it: an empty phrase would match every reply"
            raise JudgeError(
                "an empty phrase", field=f"deflections[{number}]", allowed="at least one word", got=phrase, hint=hint
            )
        literal.append(re.escape(folded(phrase)))
    patterns = dict(_package_patterns())
    patterns[Cue.DEFLECTS] = (*patterns[Cue.DEFLECTS], *literal)
    return Lexicon(patterns)


@lru_cache(maxsize=1)
def _package_patterns() -> tuple[tuple[Cue, tuple[str, ...]], ...]:
    patterns: dict[Cue, list[str]] = defaultdict(list)
    for path in sorted(FOLDER.glob("*.yaml")):
        for cue, listed in yaml.safe_load(path.read_text(encoding="utf-8")).items():
            patterns[Cue(cue)] += listed
    return tuple((cue, tuple(listed)) for cue, listed in patterns.items())


def _compiled(cue: Cue, patterns: tuple[str, ...]) -> re.Pattern[str] | None:
    for pattern in patterns:
        if not isinstance(pattern, str):
            raise JudgeError("is no text", field=cue.value, got=pattern, hint="put the pattern in quotes")
        try:
            empty = not pattern or re.match(pattern, "") is not None
        except re.error as error:
            raise JudgeError(f"is no regular expression: {error}", field=cue.value, got=pattern) from error
        if empty:
            raise JudgeError("matches the empty text", field=cue.value, got=pattern)
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.MULTILINE) if patterns else None
