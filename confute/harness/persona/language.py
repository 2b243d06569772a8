"""The language that a text is written in."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Any

from confute.errors import PersonaError

LANGUAGES = (
    "ar", "cs", "da", "de", "el", "en", "es", "fi", "fr", "he", "hi", "hu", "id", "it", "ja", "ko", "nl", "no", "pl",
    "pt", "ro", "ru", "sv", "tr", "uk", "vi", "zh",
)  # fmt: skip
"""Those that a text is told apart among."""

FEWEST_LETTERS = 8
LEAST_PROBABILITY = 0.6


def language_of(text: str) -> str | None:
    """Return the language's code by ISO 639-1, or None for a text of too few letters or without a clear answer.

    By py3langid, which compares byte n-grams. Raises PersonaError where that package is absent.
    """
    if sum(char.isalpha() for char in text) < FEWEST_LETTERS:
        return None
    label, probability = _identifier().classify(text)
    return str(label) if probability >= LEAST_PROBABILITY else None


@cache
def _identifier() -> Any:
    if find_spec("py3langid") is None:
        raise PersonaError(
            "the package 'py3langid', which tells languages apart, is absent",
            field="check: language",
            hint="pip install 'confute[language]'",
        )
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(LANGUAGES)
    return identifier
