"""A persona: a chat model under a system prompt, with the tools that it may call and what it can and cannot do."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from confute.models.chat import ModelSpec
from confute.records import NonBlank, Record, digest_of


class Tool(Record):
    """A tool that a persona is told of. `parameters` is the JSON Schema of its arguments, `result` what a call returns.

    No tool is carried out: each call is answered by `result`, and stands in the transcript with it.
    """

    name: NonBlank
    description: str = ""
    parameters: dict[str, Any] = Field(default_factory=lambda: {"type": "object", "properties": {}})
    result: str = "ok"

    @property
    def declaration(self) -> dict[str, Any]:
        """The tool as a chat request declares it."""
        return {"name": self.name, "description": self.description, "parameters": self.parameters}


class Persona(Record):
    """What is tested: `can` and `cannot` are what it is meant to do and what is beyond it, in its builder's words.

    `gender` is the one in which it tells of itself, in languages that show it; `None` where it is left open.
    """

    name: NonBlank
    model: ModelSpec
    system_prompt: NonBlank
    gender: Literal["feminine", "masculine"] | None = None
    tools: tuple[Tool, ...] = ()
    can: tuple[NonBlank, ...] = ()
    cannot: tuple[NonBlank, ...] = ()

    @property
    def digest(self) -> str:
        """SHA-256, in hex, over everything that is declared."""
        return digest_of(self.model_dump(mode="json"))

    def result_of(self, tool: str) -> str:
        """Return what a call of a tool gives, an error where there is no such tool."""
        return next((one.result for one in self.tools if one.name == tool), f"error: there is no tool {tool!r}")
