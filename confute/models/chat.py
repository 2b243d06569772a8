"""What a chat model is: it answers a request, and a failure is an answer with its own code."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal, Protocol, Self

from pydantic import Field, field_validator, model_validator

from confute.models.surrogates import well_formed
from confute.records import NonBlank, Record


class ReplyCode(StrEnum):
    """What became of a request; only OK and REFUSAL carry a whole text that can be judged."""

    OK = "ok"
    REFUSAL = "refusal"
    TRUNCATED = "truncated"
    BLOCKED = "blocked"
    BLOCKED_PARTIAL = "blocked_partial"
    EMPTY = "empty"
    TOOL_CALL = "tool_call"
    CONTEXT_TOO_LONG = "context_too_long"
    KEY_MISSING = "key_missing"
    KEY_REJECTED = "key_rejected"
    MODEL_NOT_FOUND = "model_not_found"
    BAD_REQUEST = "bad_request"
    RATE_LIMITED = "rate_limited"
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    SERVER_ERROR = "server_error"
    MALFORMED = "malformed"
    BUDGET_SPENT = "budget_spent"


class ToolCall(Record):
    """A tool that the model asked for; `arguments` is the text that it wrote, valid JSON or not.

    `id` is the endpoint's name for the call, by which a result refers to it; `None` where it gave none.
    """

    name: str
    arguments: str
    id: str | None = None


class Message(Record):
    """One message of a conversation; `tool` is a tool's result, and `tool_call_id` names the call that it answers.

    An endpoint that takes no such messages is told of calls and results in words.
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: NonBlank | None = None

    @model_validator(mode="after")
    def _tools_in_their_roles(self) -> Self:
        if (self.role == "tool") is not (self.tool_call_id is not None):
            raise ValueError("tool_call_id belongs to a message of the role tool, and to no other")
        if self.tool_calls and self.role != "assistant":
            raise ValueError("tool_calls belong to a message of the assistant's")
        return self


class Usage(Record):
    """Tokens and money of one reply; `None` where the endpoint does not tell, never 0."""

    prompt_tokens: int | None = Field(default=None, ge=0)
    completion_tokens: int | None = Field(default=None, ge=0)
    cost_usd: float | None = Field(default=None, ge=0)


class ChatRequest(Record):
    """What is asked of a model. A parameter that is `None` is not sent.

    `json_schema` asks for structured output, `tools` are declared as JSON Schemas of functions.
    """

    messages: tuple[Message, ...] = Field(min_length=1)
    temperature: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    seed: int | None = None
    max_tokens: int | None = Field(default=None, ge=1)
    json_schema: dict[str, Any] | None = None
    tools: tuple[dict[str, Any], ...] = ()


class ChatReply(Record):
    """What a model answered. `text` is `None` where there is none; partial texts are kept beside their code.

    `dropped` names the parameters that the model rejected and without which the request was repeated, `retries` counts
    the attempts before this one, `detail` is the endpoint's own words in a failure, cut to 500 characters.
    """

    code: ReplyCode
    model: str
    text: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str | None = None
    usage: Usage = Usage()
    dropped: tuple[str, ...] = ()
    retries: int = Field(default=0, ge=0)
    seconds: float = Field(default=0.0, ge=0)
    cached: bool = False
    detail: str = ""


class ModelSpec(Record):
    """A chat model by its address. The key is read from the environment variable that is named, and never stored.

    `provider` is `openai` for any endpoint that speaks its protocol, `litellm` for every other one, `local` for the
    embedded model, and `python` for a function of the user's own, named `module:attribute`. Limits are a minute's;
    prices are US dollars per million tokens, `None` where unknown.
    """

    provider: Literal["openai", "litellm", "local", "python"] = "openai"
    model: NonBlank
    base_url: str | None = None
    api_key_env: str | None = None
    temperature: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    seed: int | None = None
    max_tokens: int | None = Field(default=None, ge=1)
    timeout_s: float = Field(default=60.0, gt=0)
    max_retries: int = Field(default=4, ge=0)
    concurrency: int = Field(default=8, ge=1)
    requests_per_minute: int | None = Field(default=None, ge=1)
    tokens_per_minute: int | None = Field(default=None, ge=1)
    prompt_price: float | None = Field(default=None, ge=0)
    completion_price: float | None = Field(default=None, ge=0)

    @field_validator("model", "base_url")
    @classmethod
    def _can_be_sent(cls, text: str | None) -> str | None:
        if text is not None and well_formed(text) != text:
            raise ValueError("must not hold half of a surrogate pair")
        return text


class ChatModel(Protocol):
    """Answers requests; calls may run concurrently."""

    @property
    def fingerprint(self) -> str:
        """SHA-256, in hex, over what decides an answer: provider, model, address and default parameters."""
        ...

    async def complete(self, request: ChatRequest, *, repeat: int = 0) -> ChatReply:
        """Return the reply to a request; `repeat` tells repeats of one request apart in every cache.

        A failure of the endpoint is a reply with its code, never an exception.
        """
        ...
