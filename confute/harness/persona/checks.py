"""Checks by which a probe tells a right reply from a wrong one, each by code alone."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Annotated, Literal, NamedTuple

from pydantic import AfterValidator, Field, model_validator

from confute.harness.persona.italian.agreement import Gender, agreement
from confute.harness.persona.language import LANGUAGES, language_of
from confute.models.structured import is_refusal
from confute.records import NonBlank, Record
from confute.text import fold

_LONGEST_TEXT = 50_000
_WORD = re.compile(r"\w+(?:['’\-]\w+)*")
_NUMBER = re.compile(r"(?<![\w.,])[-−]?\d{1,3}(?:[ ,.']\d{3})+(?:[.,]\d+)?(?!\w)|(?<![\w.,])[-−]?\d+(?:[.,]\d+)?(?!\w)")
_JOINER, _VARIATION, _KEYCAP = "\u200d", "\ufe0f", "\u20e3"
_PICTURES = re.compile(
    "[\U0001f000-\U0001faff\u2600-\u26ff\u2700-\u27bf\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\u231a\u231b\u23e9-\u23f3]"
)


class Said(NamedTuple):
    """What a check looks at: the judged text, the tools that were called before it ended, the speaker's gender."""

    text: str
    tools: tuple[str, ...] = ()
    gender: Gender | None = None


class Outcome(NamedTuple):
    """Whether a check holds, `None` where it cannot tell, and why."""

    holds: bool | None
    reason: str


class Phrases(Record):
    """Phrases that must or must not occur, as whole words, whatever their case; each list may be empty, not all."""

    check: Literal["phrases"]
    any_of: tuple[NonBlank, ...] = ()
    all_of: tuple[NonBlank, ...] = ()
    none_of: tuple[NonBlank, ...] = ()

    @model_validator(mode="after")
    def _asks_something(self) -> Phrases:
        if not (self.any_of or self.all_of or self.none_of):
            raise ValueError("give any_of, all_of or none_of")
        return self

    def outcome(self, said: Said) -> Outcome:
        """Tell whether the phrases that must stand there do, and none that must not."""
        missing = [phrase for phrase in self.all_of if not has_phrase(said.text, phrase)]
        wrong = [phrase for phrase in self.none_of if has_phrase(said.text, phrase)]
        none = bool(self.any_of) and not any(has_phrase(said.text, phrase) for phrase in self.any_of)
        reasons = [f"lacks {one!r}" for one in missing] + [f"says {one!r}" for one in wrong]
        reasons += ["says none of what is right"] if none else []
        return _told(reasons)


class Number(Record):
    """A number that must be said, in digits, within a tolerance; another number beside it does no harm."""

    check: Literal["number"]
    value: float
    tolerance: float = Field(default=0.0, ge=0)

    def outcome(self, said: Said) -> Outcome:
        """Tell whether one of the numbers in the text is the right one; a text without any number says it not."""
        found = numbers_in(said.text)
        right = any(abs(each - self.value) <= self.tolerance for each in found)
        return _told([] if right else [f"says {', '.join(f'{one:g}' for one in found[:5]) or 'no number'}"])


class Pattern(Record):
    """A regular expression that must be found, or must not (`found: false`)."""

    check: Literal["pattern"]
    pattern: NonBlank
    found: bool = True

    @model_validator(mode="after")
    def _compiles(self) -> Pattern:
        try:
            re.compile(self.pattern)
        except (re.error, RecursionError, OverflowError) as error:
            raise ValueError(f"pattern is no regular expression: {error}") from error
        return self

    def outcome(self, said: Said) -> Outcome:
        """Tell whether the pattern is found as it should be; a match is a truth value and nothing more."""
        found = bool(re.search(self.pattern, said.text))
        return _told([] if found is self.found else ["matches" if found else "does not match"])


class Refuses(Record):
    """The reply must decline; `phrases` are the product's own words for that, beside the usual ones."""

    check: Literal["refuses"]
    phrases: tuple[NonBlank, ...] = ()
    expected: bool = True

    def outcome(self, said: Said) -> Outcome:
        """Tell whether the reply opens as a refusal, or holds one of the phrases."""
        refuses = is_refusal(said.text) or any(has_phrase(said.text, phrase) for phrase in self.phrases)
        return _told([] if refuses is self.expected else ["refuses" if refuses else "does not refuse"])


class ToolBacked(Record):
    """Where one of the phrases claims an action, the tool that does it must have been called."""

    check: Literal["tool_backed"]
    tool: NonBlank
    claims: tuple[NonBlank, ...] = Field(min_length=1)

    def outcome(self, said: Said) -> Outcome:
        """Tell whether the action that is claimed was done; `None` where none is claimed."""
        claimed = [phrase for phrase in self.claims if has_phrase(said.text, phrase)]
        if not claimed:
            return Outcome(None, "claims no action")
        return _told([] if self.tool in said.tools else [f"says {claimed[0]!r}, and never called {self.tool}"])


class JsonOnly(Record):
    """The reply must be one JSON value and nothing beside it, an object with `keys` where some are given."""

    check: Literal["json_only"]
    keys: tuple[NonBlank, ...] = ()

    def outcome(self, said: Said) -> Outcome:
        """Tell whether the text as a whole is JSON, with the keys."""
        try:
            value = json.loads(said.text)
        except (ValueError, RecursionError) as error:
            return Outcome(False, f"is no JSON: {str(error)[:100]}")
        missing = [key for key in self.keys if not isinstance(value, dict) or key not in value]
        return _told([f"lacks the key {key!r}" for key in missing])


class MaxWords(Record):
    """The reply may have so many words and no more; an empty one has none."""

    check: Literal["max_words"]
    words: int = Field(ge=1)

    def outcome(self, said: Said) -> Outcome:
        """Tell whether the text is short enough."""
        count = sum(1 for _ in _WORD.finditer(said.text))
        return _told([] if count <= self.words else [f"has {count} words"])


class NoEmoji(Record):
    """The reply may hold no emoji."""

    check: Literal["no_emoji"]

    def outcome(self, said: Said) -> Outcome:
        """Tell whether the text is free of pictures."""
        found = _PICTURES.search(said.text) or (_KEYCAP in said.text or _VARIATION in said.text)
        return _told(["holds an emoji"] if found else [])


def _known_language(code: str) -> str:
    if code not in LANGUAGES:
        raise ValueError(f"must be one of {', '.join(LANGUAGES)}")
    return code


class Language(Record):
    """The reply must be in a language, by its ISO 639-1 code."""

    check: Literal["language"]
    code: Annotated[str, AfterValidator(_known_language)]

    def outcome(self, said: Said) -> Outcome:
        """Tell whether the text is in the language; `None` where it is too short to tell."""
        found = language_of(said.text)
        if found is None:
            return Outcome(None, "too short to tell its language")
        return _told([] if found == self.code else [f"is in {found}"])


class ItalianAgreement(Record):
    """Italian words must agree in gender and number, with each other and with the persona that speaks."""

    check: Literal["italian_agreement"]

    def outcome(self, said: Said) -> Outcome:
        """Tell whether everything agrees that can be checked; `None` where nothing can."""
        found = agreement(said.text, speaker=said.gender)
        if not found.checked:
            return Outcome(None, "nothing to check")
        return _told([str(one) for one in found.mismatches])


Check = Annotated[
    Phrases | Number | Pattern | Refuses | ToolBacked | JsonOnly | MaxWords | NoEmoji | Language | ItalianAgreement,
    Field(discriminator="check"),
]


def outcome_of(check: Check, said: Said) -> Outcome:
    """Return what a check says of a text; of a blank one it says nothing. At most 50,000 characters are read."""
    if not said.text.strip():
        return Outcome(None, "nothing was said")
    return check.outcome(said._replace(text=said.text[:_LONGEST_TEXT]))


def has_phrase(text: str, phrase: str) -> bool:
    """Tell whether a phrase stands in a text as whole words, whatever their case, spacing and apostrophes."""
    within, sought = (fold(one).replace("’", "'") for one in (text, phrase))
    start = r"\b" if sought[:1].isalnum() else ""
    end = r"\b" if sought[-1:].isalnum() else ""
    return re.search(f"{start}{re.escape(sought)}{end}", within) is not None


def numbers_in(text: str) -> list[float]:
    """Return the numbers of a text in digits; a point or comma before three last digits parts thousands."""
    return [_number(match.group()) for match in _NUMBER.finditer(unicodedata.normalize("NFKC", text))]


def _number(written: str) -> float:
    plain = written.replace("−", "-").replace(" ", "").replace("'", "")
    whole, mark, rest = max((plain.rpartition(sign) for sign in ".,"), key=lambda parts: len(parts[0]))
    if mark and (len(rest) != 3 or whole.lstrip("-") == "0"):
        return float(f"{whole.replace('.', '').replace(',', '')}.{rest}")
    return float(plain.replace(".", "").replace(",", ""))


def _told(reasons: list[str]) -> Outcome:
    return Outcome(not reasons, "; ".join(reasons))
