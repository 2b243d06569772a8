"""TextAttack in a process and an environment of its own, driven over JSON lines by `textattack_arms.py`.

Each line of the input asks for one attack: `{"claim", "search", "moves", "companions", "max_edits", "seed"}`. The
worker asks back, one line each, `{"score": [texts]}` for the victim's risks and `{"rule": [edit sets]}` for the
oracle's word, reads the answers, and ends with `{"done": true}`. It counts no query: whoever answers does, and answers
`null` once they are spent.
"""

from __future__ import annotations

import contextlib
import json
import random
import sys
from typing import Any

import numpy as np
import torch
from textattack import Attack
from textattack.attack_recipes import DeepWordBugGao2018
from textattack.constraints import Constraint
from textattack.constraints.pre_transformation import RepeatModification, StopwordModification
from textattack.goal_functions import UntargetedClassification
from textattack.models.wrappers import ModelWrapper
from textattack.search_methods import AlzantotGeneticAlgorithm, BeamSearch, GreedySearch, GreedyWordSwapWIR
from textattack.shared import AttackedText
from textattack.transformations import (
    CompositeTransformation,
    WordSwap,
    WordSwapChangeName,
    WordSwapChangeNumber,
    WordSwapInflections,
    WordSwapNeighboringCharacterSwap,
    WordSwapRandomCharacterDeletion,
    WordSwapRandomCharacterInsertion,
    WordSwapRandomCharacterSubstitution,
)

BEAM, POPULATION = 8, 16
_TAGS = ("NOUN", "VERB", "ADJ")


class BudgetSpentError(Exception):
    """The victim answers no more."""


class Victim(ModelWrapper):
    """Turns a risk into two classes, 0 accept and 1 reject.

    The source is always said to be rejected, so that no case is skipped, or taken for won, as it stands.
    """

    def __init__(self) -> None:
        self.model = self
        self.source = ""

    def __call__(self, texts: list[str]) -> torch.Tensor:
        """Return class probabilities, shape (texts, 2), for which accept wins exactly where the risk is within tau."""
        answer = ask({"score": list(texts)})
        rows = []
        for text, risk in zip(texts, answer["risks"], strict=True):
            if risk is None:
                raise BudgetSpentError
            margin = (answer["tau"] - risk) / 4 + 1e-9
            accept = 0.5 + (min(margin, -1e-6) if text == self.source else margin)
            rows.append([accept, 1.0 - accept])
        return torch.tensor(rows, dtype=torch.float64)


class Moves(WordSwap):
    """Our moves and companions: each text that one more edit gives, whose edits then stand in its attributes.

    A move may change several words; it is called a word swap since the search by importance takes nothing else.
    """

    def __init__(self, task: dict[str, Any]) -> None:
        super().__init__()
        self._task = task
        self._edits = task["moves"] + task["companions"]

    @property
    def deterministic(self) -> bool:
        """Whether the same text always has the same transformations."""
        return True

    def _get_transformations(self, current_text: AttackedText, indices_to_modify: set[int]) -> list[AttackedText]:
        made = current_text.attack_attrs.get("edits", ())
        found = []
        for index in range(len(self._edits)):
            edits = tuple(sorted({*made, index}))
            claim = edited(self._task["claim"], [one for at in edits for one in self._edits[at]])
            if len(made) < len(edits) <= self._task["max_edits"] and claim is not None and claim != current_text.text:
                at = word_at(current_text, self._task["claim"], self._edits[index])
                if at in indices_to_modify:
                    attributes = {
                        "edits": edits,
                        "newly_modified_indices": {at},
                        "previous_attacked_text": current_text,
                    }
                    found.append(AttackedText(claim, attributes))
        return found


def changed(claim: str, edits: tuple[int, ...], at: int, current: AttackedText) -> AttackedText:
    """Return a text that some of our edits give, with what its searches look up of it."""
    made = AttackedText(claim, {"edits": edits, "newly_modified_indices": {at}, "previous_attacked_text": current})
    places = len(current.attack_attrs["original_index_map"])
    made.attack_attrs["original_index_map"] = np.minimum(np.arange(places), made.num_words - 1)
    return made


class Vouched(Constraint):
    """Lets through what our gate and oracle let through, as our own strategies learn it without a query."""

    def __init__(self) -> None:
        super().__init__(compare_against_original=True)
        self._known: dict[tuple[int, ...], bool] = {}

    def _check_constraint_many(self, transformed_texts: list[AttackedText], reference_text: AttackedText) -> list[Any]:
        del reference_text
        new = [one.attack_attrs["edits"] for one in transformed_texts if one.attack_attrs["edits"] not in self._known]
        if new:
            self._known.update(zip(new, ask({"rule": new})["valid"], strict=True))
        return [one for one in transformed_texts if self._known[one.attack_attrs["edits"]]]

    def _check_constraint(self, transformed_text: AttackedText, reference_text: AttackedText) -> bool:
        return bool(self._check_constraint_many([transformed_text], reference_text))


class Changed(Constraint):
    """Refuses a swap that changes nothing, such as of two equal letters, on which its genetic search fails."""

    def __init__(self) -> None:
        super().__init__(compare_against_original=True)

    def _check_constraint(self, transformed_text: AttackedText, reference_text: AttackedText) -> bool:
        del reference_text
        return bool(transformed_text.attack_attrs["newly_modified_indices"])


class CapitalisedNames(WordSwapChangeName):
    """Its names without the tagger that it would download: every capitalised word but the first is a single name."""

    def _get_transformations(self, current_text: AttackedText, indices_to_modify: set[int]) -> list[AttackedText]:
        places = [at for at in sorted(indices_to_modify) if at and current_text.words[at][:1].isupper()]
        return [current_text.replace_word_at_index(at, str(name)) for at in places for name in self._get_lastname("")]


class Inflections(WordSwapInflections):
    """Its inflections without the tagger that it would download: lemminflect finds the part of speech."""

    def _get_transformations(self, current_text: AttackedText, indices_to_modify: set[int]) -> list[AttackedText]:
        found = []
        for at in sorted(indices_to_modify):
            word = current_text.words[at]
            for other in sorted({form for tag in _TAGS for form in self._get_replacement_words(word, tag)}):
                if other != word:
                    found.append(current_text.replace_word_at_index(at, other))
        return found


def attack_for(task: dict[str, Any], victim: Victim) -> Attack:
    """Return the attack that a task asks for."""
    goal = UntargetedClassification(victim)
    if task["search"] == "deepwordbug":
        recipe = DeepWordBugGao2018.build(victim)
        constraints = [*recipe.pre_transformation_constraints, *recipe.constraints]
        return Attack(goal, constraints, recipe.transformation, recipe.search_method)
    family, name = task["search"].split(":")
    if family == "moves":
        return Attack(goal, [Vouched()], Moves(task), searches()[name])
    swaps = CompositeTransformation(
        [
            WordSwapNeighboringCharacterSwap(),
            WordSwapRandomCharacterSubstitution(),
            WordSwapRandomCharacterDeletion(),
            WordSwapRandomCharacterInsertion(),
            WordSwapChangeNumber(),
            CapitalisedNames(),
            Inflections(),
        ]
    )
    constraints = [RepeatModification(), StopwordModification(), *([Changed()] if name == "genetic" else [])]
    return Attack(goal, constraints, swaps, searches()[name])


def searches() -> dict[str, Any]:
    """Return its search methods by the names of the arms."""
    return {
        "greedy": GreedySearch(),
        "beam": BeamSearch(beam_width=BEAM),
        "importance": GreedyWordSwapWIR(wir_method="delete"),
        "genetic": AlzantotGeneticAlgorithm(pop_size=POPULATION),
    }


def edited(claim: str, replacements: list[list[Any]]) -> str | None:
    """Return the claim with the replacements [start, end, text] made, or None where two of them overlap."""
    pieces, at, last = [], 0, None
    for start, end, text in sorted(replacements, key=lambda one: (one[0], one[1])):
        if start < at or start == last:
            return None
        pieces += [claim[at:start], text]
        at, last = end, start
    return "".join([*pieces, claim[at:]])


def word_at(current: AttackedText, claim: str, replacements: list[list[Any]]) -> int:
    """Return the place of the word that an edit of the source starts at, in a text that may be shorter by now."""
    start = min(one[0] for one in replacements)
    return min(max(0, len(AttackedText(claim[:start] + "x").words) - 1), max(0, len(current.words) - 1))


def ask(question: dict[str, Any]) -> dict[str, Any]:
    """Send a line and return the answer."""
    sys.stdout.write(json.dumps(question) + "\n")
    sys.stdout.flush()
    return dict(json.loads(sys.stdin.readline()))


def main() -> None:
    """Carry out attacks until the input ends."""
    victim = Victim()
    while line := sys.stdin.readline():
        task = json.loads(line)
        random.seed(task["seed"])
        np.random.seed(task["seed"] % 2**32)
        torch.manual_seed(task["seed"])
        victim.source = task["claim"]
        with contextlib.suppress(BudgetSpentError):
            attack_for(task, victim).attack(task["claim"], 1)
        sys.stdout.write(json.dumps({"done": True}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
