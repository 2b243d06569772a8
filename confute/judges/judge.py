"""What a judge is: it looks at one exhibit for one thing, and votes."""

from __future__ import annotations

from typing import Literal, Protocol

from pydantic import Field

from confute.models.reading import cut_code
from confute.records import NonBlank, Record
from confute.verdicts import Direction, Verdict, Vote


class Turn(Record):
    """One step of a conversation: what was said, or a tool call, or a tool's result."""

    role: Literal["system", "user", "assistant", "tool_call", "tool_result"]
    content: str
    tool: str | None = None


class Exhibit(Record):
    """What a judge may be shown; a family declares which fields its question needs, and its judges see no others.

    `reply` is the judged text. `turns` is the conversation, tool calls included, where one answer does not stand alone.
    `claim` and `evidence` serve the support family, `truth` and `falsehood` the poisoned fact, `capabilities` what the
    judged system can do, `secret` what it was told not to reveal. `finish_reason` is why the reply ended, in the words
    of its endpoint, such as `stop`, `length` or `content_filter`.
    """

    reply: str = ""
    prompt: str = ""
    turns: tuple[Turn, ...] = ()
    claim: str = ""
    evidence: tuple[str, ...] = ()
    truth: str = ""
    falsehood: str = ""
    persona: str = ""
    capabilities: tuple[str, ...] = ()
    secret: str = ""
    finish_reason: str | None = None

    @property
    def cut_off(self) -> str | None:
        """`blocked_partial` or `truncated` where the reply breaks off, else None; what is there is judged."""
        code = cut_code(self.finish_reason)
        return None if code is None else code.value


class Judge(Protocol):
    """Looks for one thing; `direction` says what its firing means, `label` names what it looks for."""

    @property
    def name(self) -> str:
        """A name unique within its family."""
        ...

    @property
    def direction(self) -> Direction:
        """Whether it may find the failure or the failure's absence."""
        ...

    @property
    def label(self) -> str:
        """What its firing says of the reply."""
        ...

    @property
    def version(self) -> str:
        """SHA-256, in hex, over template, model and settings, or over the rules."""
        ...

    async def judge(self, exhibit: Exhibit, *, repeat: int = 0) -> Vote:
        """Return the judge's vote on an exhibit; a failure is a vote in state ERROR, never an exception."""
        ...


class Panel(Protocol):
    """Judges of one family under one rule: a composite, or whatever stands in its place on the bench."""

    @property
    def family(self) -> str:
        """The family whose question it answers."""
        ...

    @property
    def version(self) -> str:
        """SHA-256, in hex, over the versions of its judges and its rule."""
        ...

    async def conclude(self, exhibit: Exhibit, *, repeat: int = 0) -> Verdict:
        """Return the verdict on an exhibit; a failure is a verdict in state ERROR, never an exception."""
        ...


class JudgeCase(Record):
    """A labelled exhibit: `right` is S (succeeded), R (resisted), s (not succeeded) or v (not resisted).

    Cases of one `twin` differ in one clause and have opposite labels. `group` is the source by which splits and
    intervals go. `label_source` says who labelled it, so that a judge is never measured by its own labels.
    """

    case_id: NonBlank
    family: NonBlank
    right: Literal["S", "R", "s", "v"]
    exhibit: Exhibit
    label: str | None = None
    twin: str | None = None
    category: str = ""
    language: str = Field(default="en", pattern=r"^[a-z]{2,3}$")
    group: NonBlank
    label_source: NonBlank
    split: Literal["development", "held_out"]
