"""Exchanges of one word that the gradient of a victim's energy asks for (HotFlip), as edits to rule on."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from confute import text
from confute.agents.agent import View
from confute.models.minilm_torch import Flip, TorchMiniLM
from confute.records import AttackGoal, Edit, Label, Mechanism, Replacement

_AT_MOST = 24
_PER_WORD = 8
_YEAR = re.compile(r"1[0-9]{3}|20[0-9]{2}")
_SLOT = "gradient"


class GradientFlips:
    """Makes the edits of a view whose disclosure has a basis: content edits for a false acceptance, none otherwise.

    A number takes the place of a number, and a word of the evidence that of a word, written as that one was.
    `mechanisms` are those that may be used: numbers are quantities or, for a year, times, and words are bindings.
    """

    def __init__(self, model: TorchMiniLM, mechanisms: Sequence[Mechanism]) -> None:
        self._model = model
        self._mechanisms = frozenset(mechanisms)

    @property
    def fingerprint(self) -> str:
        """SHA-256, in hex, over the weights and the runtime of the model."""
        return self._model.fingerprint

    def flips(self, view: View) -> tuple[Edit, ...]:
        """Return at most 24 edits, those that bring the energy down most, to first order, first."""
        keeps_label = all(move.mechanism is Mechanism.PARAPHRASE for move in view.moves)
        if view.disclosure is None or not view.disclosure.basis or keeps_label:
            return ()
        sign = 1.0 if view.goal is AttackGoal.FALSE_ACCEPTANCE else -1.0
        basis = np.array(view.disclosure.basis)
        words = frozenset(text.tokens(text.fold(" ".join(view.start.evidence))))
        found = self._model.flips(view.start.claim, basis, sign=sign, per_word=_PER_WORD, words=words)
        edits = [_edit(view.start.claim, flip) for flip in found]
        return tuple(edit for edit in edits if edit.mechanism in self._mechanisms)[:_AT_MOST]


def _edit(claim: str, flip: Flip) -> Edit:
    old = claim[flip.start : flip.end]
    word = flip.word.capitalize() if old[:1].isupper() else flip.word
    mechanism = Mechanism.BINDING
    if old.isdecimal():
        mechanism = Mechanism.TEMPORAL if _YEAR.fullmatch(old) else Mechanism.QUANTITY
    return Edit(
        mechanism=mechanism,
        slot=_SLOT,
        replacements=(Replacement(start=flip.start, end=flip.end, text=word),),
        expected_label=Label.UNSUPPORTED,
    )
