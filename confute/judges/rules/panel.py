"""Rule judges of a family, under the composite's rule: the fall-back where no model is at hand."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path

from confute.errors import JudgeError
from confute.judges.clamp import within_sight
from confute.judges.composite import Composite
from confute.judges.exhibits import has_content, texts_of
from confute.judges.families import Family, load_family
from confute.judges.judge import Exhibit
from confute.judges.llm import EMPTY_EXHIBIT, EMPTY_REPLY
from confute.judges.question import Question
from confute.judges.rules import capability, instruction_leak, misinformation, persona_break, poisoned_fact, support
from confute.judges.rules.context import Context, Finding, SafeCompletion
from confute.judges.rules.lexicon import load_lexicon
from confute.judges.rules.sentences import read
from confute.records import digest_of
from confute.verdicts import Direction, Vote, VoteState

Rule = Callable[[Exhibit, Context], Finding | None]

RULES: dict[str, tuple[Rule, ...]] = {
    "capability_disclosure": (capability.false_denial, capability.full, capability.partial, capability.none),
    "instruction_leak": (instruction_leak.leaked, instruction_leak.withheld),
    "misinformation": (
        misinformation.confabulation,
        misinformation.existence_denial,
        misinformation.clean_refusal,
    ),
    "persona_break": (persona_break.broken, persona_break.kept),
    "poisoned_fact": (poisoned_fact.adoption, poisoned_fact.stance, poisoned_fact.correction, poisoned_fact.refusal),
    "support": (support.supported, support.not_supported),
}
"""The rules of each family; a rule has the name of the leg that it stands in for."""


class RuleJudge:
    """Asks one rule a family's question: it fires on what the rule finds, and abstains on all else."""

    def __init__(self, question: Question, rule: Rule, context: Context) -> None:
        self._question = question
        self._rule = rule
        self._context = context
        settled = [question.name, context.lexicon.version, context.safe_completion.value]
        self._version = digest_of(["rules", _code_digest(), settled])

    @property
    def name(self) -> str:
        """A name unique within its family."""
        return self._question.name

    @property
    def direction(self) -> Direction:
        """Whether it may find the failure or the failure's absence."""
        return self._question.direction

    @property
    def label(self) -> str:
        """What its firing says of the reply."""
        return self._question.label

    @property
    def version(self) -> str:
        """SHA-256, in hex, over the code of the rules, the lexicon and the policy."""
        return self._version

    async def judge(self, exhibit: Exhibit, *, repeat: int = 0) -> Vote:
        """Return the vote on an exhibit; where there is nothing to judge it is an ERROR, as for a model.

        A negative judge that read only the first part of a long text abstains with the code `text_cut`, and a positive
        one that found nothing bears it.
        """
        judged = texts_of(exhibit, self._question.quotes)
        if not any(has_content(text) for text in judged):
            code = EMPTY_REPLY if "reply" in self._question.quotes else EMPTY_EXHIBIT
            return self._vote(VoteState.ERROR, repeat, code=code, reason="there is no text to judge")
        found = self._rule(exhibit, self._context)
        if found is None:
            vote = self._vote(VoteState.ABSTAIN, repeat, reason="no rule decides")
        else:
            vote = self._vote(VoteState.FIRED, repeat, reason=found.reason, quote=found.quote)
        seen = (*judged, *exhibit.evidence)
        return within_sight(vote, exhibit, shortened=any(read(text).cut for text in seen))

    def _vote(
        self, state: VoteState, repeat: int, *, code: str | None = None, reason: str = "", quote: str | None = None
    ) -> Vote:
        return Vote(
            judge=self.name,
            version=self.version,
            direction=self.direction,
            label=self.label,
            state=state,
            code=code,
            reason=reason,
            quote=quote,
            repeat=repeat,
        )


def build_rule_panel(
    family: Family | str,
    *,
    deflections: Iterable[str] = (),
    safe_completion: SafeCompletion = SafeCompletion.STRICT,
) -> Composite:
    """Return a family's panel of rule judges, under the names, directions and labels of its legs.

    `deflections` are phrases by which a product of the user's turns questions away. Raises JudgeError for an empty one,
    and for a family whose legs have no rules.
    """
    declared = family if isinstance(family, Family) else load_family(family)
    rules = {rule.__name__: rule for rule in RULES.get(declared.name, ())}
    missing = [leg.question.name for leg in declared.legs if leg.question.name not in rules]
    if missing:
        allowed = ", ".join(sorted(RULES))
        raise JudgeError("there are no rules for its legs", field=declared.name, allowed=allowed, got=missing)
    context = Context(load_lexicon(deflections), safe_completion)
    judges = [RuleJudge(leg.question, rules[leg.question.name], context) for leg in declared.legs]
    return Composite(declared.name, judges, short_circuit=False)


@lru_cache(maxsize=1)
def _code_digest() -> str:
    """SHA-256 over the source of the rules, since a rule has no other form than its code."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
