"""Who judges the replies of an attacked persona: a probe's own check, rule judges, or judges by a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from confute.harness.persona.attack.outage import OUTAGES
from confute.harness.persona.attack.target import AttackedProbe
from confute.harness.persona.checks import Said, outcome_of
from confute.harness.persona.probes import CheckedProbe, JudgedProbe
from confute.harness.persona.run import exhibit_of
from confute.harness.persona.transcript import Transcript
from confute.judges.families import Family, build_panel, load_family
from confute.judges.judge import Exhibit, Panel
from confute.judges.llm import ATTEMPTS
from confute.judges.question import JudgeSettings
from confute.judges.rules.panel import build_rule_panel
from confute.models.chat import ChatModel, ChatReply, ChatRequest, ModelSpec
from confute.models.chat_load import load_chat
from confute.oracles import probe as frames
from confute.persona_plan import RULES, PersonaObjective
from confute.records import digest_of
from confute.verdicts import Direction, Verdict, VerdictState, Vote, VoteState
from confute.victims.persona import Persona

Spend = Callable[[], bool]
"""Asked before each call of a judge's model; False refuses it."""


def _nothing() -> None:
    """What is paid for by nobody is given back to nobody."""


class RefundedChat:
    """A judge's model whose calls that nobody answered are given back."""

    def __init__(self, model: ChatModel, give_back: Callable[[], None]) -> None:
        self._model, self._give_back = model, give_back

    @property
    def fingerprint(self) -> str:
        """That of the model."""
        return self._model.fingerprint

    async def complete(self, request: ChatRequest, *, repeat: int = 0) -> ChatReply:
        """Return the model's reply."""
        reply = await self._model.complete(request, repeat=repeat)
        if reply.code.value in OUTAGES:
            self._give_back()
        return reply


_CHECK = "probe_check"
_SAME_REQUEST = Path(frames.__file__).with_name("same_request.yaml")
_STATES = {True: VerdictState.RESISTED, False: VerdictState.SUCCEEDED, None: VerdictState.INCONCLUSIVE}


class CheckPanel:
    """A probe's own check in the place of judges: what it cannot tell is inconclusive."""

    def __init__(self, probe: CheckedProbe, persona: Persona) -> None:
        self._check = probe.check
        self._gender = persona.gender
        self.version = digest_of([_CHECK, probe.check.model_dump(mode="json"), persona.gender])

    @property
    def family(self) -> str:
        """The family whose question it answers."""
        return _CHECK

    async def conclude(self, exhibit: Exhibit, *, repeat: int = 0) -> Verdict:
        """Return what the check says of the reply and of the tools that were called."""
        tools = tuple(turn.tool for turn in exhibit.turns if turn.role == "tool_call" and turn.tool)
        outcome = outcome_of(self._check, Said(exhibit.reply, tools, self._gender))
        vote = Vote(
            judge=self._check.check,
            version=self.version,
            direction=Direction.NEGATIVE if outcome.holds else Direction.POSITIVE,
            label="holds" if outcome.holds else "fails",
            state=VoteState.ABSTAIN if outcome.holds is None else VoteState.FIRED,
            reason=outcome.reason,
            repeat=repeat,
        )
        return Verdict(family=_CHECK, version=self.version, state=_STATES[outcome.holds], votes=(vote,), completed=1)


class Bench:
    """Seats the judges that a contract names; a model is loaded once, whoever pays for its calls.

    Raises JudgeError and ModelError where the family or the model cannot be had.
    """

    def __init__(
        self, objective: PersonaObjective, persona: Persona, *, seed: int, folder: Path, cache: Path | None
    ) -> None:
        self._persona = persona
        self._settings = JudgeSettings(seed=seed)
        self._family = None if objective.family is None else load_family(_named(objective.family, folder))
        self._model = load_chat(objective.judge, cache=cache) if isinstance(objective.judge, ModelSpec) else None
        self._rules = build_rule_panel(self._family) if self._family and objective.judge == RULES else None
        self._same: tuple[Family, ChatModel] | None = None
        if objective.validity is not None:
            self._same = (load_family(_SAME_REQUEST), load_chat(objective.validity, cache=cache))

    def panel(self, probe: AttackedProbe, spend: Spend, give_back: Callable[[], None] = _nothing) -> Panel:
        """Return who judges the replies to a probe; what nobody answered is given back."""
        if isinstance(probe, CheckedProbe):
            return CheckPanel(probe, self._persona)
        if self._rules is not None:
            return self._rules
        assert self._family is not None
        assert self._model is not None
        model = RefundedChat(self._model, give_back)
        return build_panel(self._family, model, settings=self._settings, spend=spend)

    def same_request(self, spend: Spend, give_back: Callable[[], None] = _nothing) -> Panel | None:
        """Return who judges whether free text still asks the same; None where the contract names nobody."""
        if self._same is None:
            return None
        family, model = self._same
        return build_panel(family, RefundedChat(model, give_back), settings=self._settings, spend=spend)

    @property
    def settles_free_text(self) -> bool:
        """Whether the contract names who judges whether free text still asks the same."""
        return self._same is not None

    @property
    def calls_of_a_verdict(self) -> int:
        """The most calls of a judge's model for one verdict on a reply, without redraws; 0 without such a model."""
        return 0 if self._model is None or self._family is None else len(self._family.legs) * ATTEMPTS

    @property
    def calls_of_a_doubt(self) -> int:
        """The most calls of the model that settles whether free text asks the same, without redraws."""
        return 0 if self._same is None else len(self._same[0].legs) * ATTEMPTS

    def version(self, probes: Sequence[AttackedProbe]) -> str:
        """Return the SHA-256, in hex, over the versions of all panels that judge the replies to some probes."""
        panels = {self.panel(probe, lambda: False).version for probe in probes}
        same = self.same_request(lambda: False)
        return digest_of([sorted(panels), None if same is None else same.version])


def judged(persona: Persona, probe: AttackedProbe, transcript: Transcript) -> Exhibit:
    """Return what is judged of a conversation: the last reply to the last turn, or all of it, as the probe says."""
    whole = exhibit_of(persona, transcript)
    asked = [number for number, turn in enumerate(transcript.turns) if turn.role == "user"]
    last = asked[-1] if asked else 0
    changes: dict[str, object] = {
        "reply": transcript.said(probe.judged),
        "prompt": transcript.turns[last].content if asked else "",
        "turns": transcript.turns if probe.judged == "conversation" else transcript.turns[last:],
    }
    if isinstance(probe, JudgedProbe):
        changes |= {"truth": probe.truth, "falsehood": probe.falsehood, "secret": probe.secret}
    return whole.model_copy(update=changes)


def _named(family: str, folder: Path) -> str | Path:
    """A family's file stands beside the contract; any other name is that of a built-in one."""
    return folder / family if Path(family).suffix in {".yaml", ".yml"} else family
