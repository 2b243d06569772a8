"""The search of a language model that proposes: a tree of attacks, pruned by validity before any victim query."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from itertools import chain
from typing import NamedTuple

from confute.agents.agent import Feedback, Proposal, Question, Search, View
from confute.agents.drafts import Edits, by_prior, loss, one_of_each_kind, rng_of
from confute.agents.expected import Expected
from confute.agents.llm_prompt import FREE, MAX_CLAIM, Prompts
from confute.agents.llm_reply import Answer, Fault, read
from confute.agents.llm_tried import Tried
from confute.agents.memory import remembered
from confute.agents.script import changes
from confute.contract import AttackTree, Writes
from confute.edits import applied, edited
from confute.models.chat import ChatRequest
from confute.records import AttackGoal, Candidate, Edit, Label, Mechanism, Pair, Replacement, Validity

_FRUITLESS_ROUNDS = 2
_MAX_GROWTH = 4
_CLAIM, _EVIDENCE, _TEXT = "claim", "evidence", "text"
_SLOT = "text"

Turns = Generator[Sequence[Proposal | Question], Sequence[Feedback], list["_Answered"]]


class _Node(NamedTuple):
    """A branch of the tree: what was tried on it, and the loss of its best candidate, None where none was scored."""

    history: tuple[Tried, ...] = ()
    loss: float | None = None
    is_valid: bool = False


class _Asked(NamedTuple):
    """A question on a node: a choice among `offered` moves, or a text by a `mechanism`."""

    node: int
    offered: tuple[Edit, ...]
    mechanism: str
    request: ChatRequest


class _Answered(NamedTuple):
    asked: _Asked
    answer: Answer


class TreeOfAttacks:
    """Branches, prunes, asks the victim, keeps the best (TAP, Mehrotra et al. 2023), over edits with an oracle.

    Each round every node is asked for `branching` proposals at once: edits chosen among the offered moves by number,
    or the claim in the model's own words. The harness rules on each before the victim is asked; what is refused costs
    no victim query, and its reason is told to the branch. The `width` nodes nearest to the goal go on, those without
    a score in the order in which they came; what waits for judges goes on like what is valid. What worked on earlier
    cases is told in every question. It ends with the depth, with the budget, or after two rounds that brought
    nothing new.
    """

    def __init__(self, tree: AttackTree, prompts: Prompts, expected: Expected | None = None) -> None:
        self.tree = tree
        self.prompts = prompts
        self.expected = expected

    def search(self, view: View) -> Search:
        """Return the search for one view."""
        return _Growth(self, view).rounds()


class _Growth:
    def __init__(self, agent: TreeOfAttacks, view: View) -> None:
        self._tree = agent.tree
        self._prompts = agent.prompts
        self._view = view
        self._expected = agent.expected.of(view) if agent.expected else None
        self._made: set[Pair] = {view.start.pair}
        self._outcomes = {
            candidate.pair: (move,) for move in view.moves if (candidate := applied(view.start, (move,))) is not None
        }
        self._lessons = remembered(view.experience, self._tree.lessons) if self._tree.lessons else ""
        self._rng = rng_of(view, "llm")
        self._turn = 0
        self._is_spent = False
        ranked = by_prior(view) if self._expected is None else self._expected.ranked(view.moves)
        self._ranked = tuple(dict.fromkeys([*one_of_each_kind(ranked), *ranked]))
        self._mechanisms = self._text_mechanisms()
        self._kinds = self._possible_kinds()

    def rounds(self) -> Search:
        nodes, fruitless = [_Node()], 0
        for _ in range(self._tree.depth if self._kinds else 0):
            asked = [
                self._question(place, node) for place, node in enumerate(nodes) for _ in range(self._tree.branching)
            ]
            answered = yield from self._answers(asked)
            drafted = [self._drafted(one) for one in answered]
            new = [one for one in drafted if one is not None and one.feedback is None and self._is_new(one)]
            feedback: Sequence[Feedback] = ()
            if new:
                feedback = yield [Proposal(candidate=one.candidate) for one in new]
            known = {id(one): told for one, told in zip(new, feedback, strict=True)}
            children: list[list[Tried]] = [[] for _ in nodes]
            for one, tried in zip(answered, drafted, strict=True):
                if tried is not None:
                    children[one.asked.node].append(tried._replace(feedback=known.get(id(tried))))
            nodes = self._kept(nodes, children)
            fruitless = 0 if new else fruitless + 1
            if self._is_spent or fruitless >= _FRUITLESS_ROUNDS:
                return

    def _answers(self, asked: Sequence[_Asked]) -> Turns:
        """Ask all at once, and again, each with a word on why, what could not be read."""
        done: list[_Answered] = []
        waiting = list(asked)
        for repeat in range(self._tree.retries + 1):
            if not waiting or self._is_spent:
                break
            feedback = yield [Question(request=one.request, repeat=repeat) for one in waiting]
            answers = [self._read(one, told) for one, told in zip(waiting, feedback, strict=True)]
            done += [_Answered(*pair) for pair in zip(waiting, answers, strict=True) if pair[1].fault is None]
            self._is_spent = any(answer.fault is Fault.BUDGET_SPENT for answer in answers)
            waiting = [
                one._replace(request=self._prompts.again(one.request, answer.fault, self._seed()))
                for one, answer in zip(waiting, answers, strict=True)
                if answer.fault is not None
            ]
        return done

    def _question(self, place: int, node: _Node) -> _Asked:
        kind, turn = self._kinds[self._turn % len(self._kinds)], self._turn // len(self._kinds)
        self._turn += 1
        history = node.history[-self._tree.remembered :]
        if kind == _TEXT:
            mechanism = self._mechanisms[turn % len(self._mechanisms)]
            request = self._prompts.text(self._view, mechanism, history, self._seed(), self._lessons)
            return _Asked(place, (), mechanism, request)
        offered = self._offered(kind)
        risks = [self._expected.risk_of((edit,)) if self._expected else None for edit in offered]
        request = self._prompts.choice(self._view, offered, risks, history, self._seed(), self._lessons)
        return _Asked(place, offered, "", request)

    def _offered(self, kind: str) -> tuple[Edit, ...]:
        of_kind = [edit for edit in self._ranked if edit.mechanism.changes_evidence is (kind == _EVIDENCE)]
        untried = [edit for edit in of_kind if (one := self._candidate((edit,))) and one.pair not in self._made]
        return tuple((untried or of_kind)[: self._tree.offered])

    def _read(self, asked: _Asked, feedback: Feedback) -> Answer:
        assert feedback.reply is not None
        names = self._prompts.content if asked.mechanism == FREE else ()
        answer = read(feedback.reply, options=len(asked.offered) or None, mechanisms=names)
        if answer.fault is None and self._edits(asked, answer) is None:
            return Answer(fault=Fault.OUT_OF_DOMAIN)
        return answer

    def _edits(self, asked: _Asked, answer: Answer) -> Edits | None:
        """Return the edits that an answer amounts to; None where they overlap, or give nothing that can be tried."""
        if isinstance(answer.proposal, str):
            if len(answer.proposal) > _MAX_GROWTH * (len(self._view.start.claim) + 100):
                return None
            mechanism = Mechanism(answer.mechanism or asked.mechanism)
            edits: Edits = (_rewriting(self._view, answer.proposal, mechanism),)
        else:
            edits = tuple(asked.offered[number - 1] for number in answer.proposal)
        candidate = self._candidate(edits)
        if candidate is None or candidate.pair == self._view.start.pair or len(edits) > self._view.max_edits:
            return None
        return self._outcomes.get(candidate.pair, edits)

    def _drafted(self, one: _Answered) -> Tried | None:
        edits = self._edits(one.asked, one.answer)
        candidate = None if edits is None else self._candidate(edits)
        return None if candidate is None else Tried(candidate, one.answer.improvement, None)

    def _is_new(self, tried: Tried) -> bool:
        is_new = tried.candidate.pair not in self._made
        self._made.add(tried.candidate.pair)
        return is_new

    def _candidate(self, edits: Edits) -> Candidate | None:
        return applied(self._view.start, edits)

    def _kept(self, nodes: Sequence[_Node], children: Sequence[Sequence[Tried]]) -> list[_Node]:
        grown = chain.from_iterable(map(self._grown, nodes, children))
        return sorted(grown, key=lambda one: (not one.is_valid, math.inf if one.loss is None else one.loss))[
            : self._tree.width
        ]

    def _grown(self, node: _Node, children: Sequence[Tried]) -> list[_Node]:
        """Return a node for each valid child, which also knows its refused siblings; without one the node itself."""
        valid = [one for one in children if one.feedback is not None and _may_count(one.feedback)]
        refused = tuple(one for one in children if one not in valid)
        known = (*node.history, *refused)
        if not valid:
            return [node._replace(history=known)]
        return [_Node((*known, one), self._loss(one), is_valid=True) for one in valid]

    def _loss(self, tried: Tried) -> float | None:
        return None if tried.feedback is None else loss(tried.feedback.score, self._view.goal)

    def _seed(self) -> int:
        return self._rng.randrange(2**31)

    def _keeps_label(self) -> bool:
        moves = [move for move in self._view.moves if not move.mechanism.changes_evidence]
        only_paraphrases = bool(moves) and all(move.mechanism is Mechanism.PARAPHRASE for move in moves)
        return self._view.goal is AttackGoal.FALSE_REJECTION or only_paraphrases

    def _text_mechanisms(self) -> tuple[str, ...]:
        if len(self._view.start.claim) > MAX_CLAIM:
            return ()
        if self._keeps_label():
            return (str(Mechanism.PARAPHRASE),) if self._prompts.paraphrases else ()
        content = self._prompts.content
        offered = {str(move.mechanism) for move in self._view.moves}
        fitting = tuple(name for name in content if name in offered) or content
        return (*fitting, FREE) if content else ()

    def _possible_kinds(self) -> tuple[str, ...]:
        offers = {_EVIDENCE if move.mechanism.changes_evidence else _CLAIM for move in self._view.moves}
        kinds = [kind for kind in (_CLAIM, _EVIDENCE) if kind in offers and self._tree.writes is not Writes.TEXT]
        return (*kinds, _TEXT) if self._mechanisms and self._tree.writes is not Writes.MOVES else tuple(kinds)


def _may_count(feedback: Feedback) -> bool:
    return feedback.validity is Validity.VALID or feedback.is_open


def _rewriting(view: View, claim: str, mechanism: Mechanism) -> Edit:
    """Return the edit that makes a claim of the source: its smallest token changes, or the whole where they fail."""
    whole = Replacement(start=0, end=len(view.start.claim), text=claim)
    label = Label.UNSUPPORTED if view.goal is AttackGoal.FALSE_ACCEPTANCE else Label.SUPPORTED
    edit = Edit(mechanism=mechanism, slot=_SLOT, replacements=changes(view.start.claim, whole), expected_label=label)
    exact = edited(view.start.claim, (edit,)) == claim
    return edit if exact else edit.model_copy(update={"replacements": (whole,)})
