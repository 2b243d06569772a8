"""What went wrong, by the words of an endpoint that failed."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, NamedTuple

from confute.models.chat import ReplyCode
from confute.models.surrogates import well_formed

_LONGEST_DETAIL = 500
_LONGEST_MESSAGE = 4_000
_CONTEXT = re.compile(
    r"context[ _](length|window|size)|exceed_context|(prompt|input) is too long|request too large"
    r"|too many (input )?tokens|input token count|maximum model length|contextwindow"
    r"|must have less than \d+ tokens|max_new_tokens`? must be <=|exceeds the maximum allowed length"
)
_FILTER = re.compile(
    r"content[ _]?(filter|policy|management policy)|responsibleai|data_inspection_failed"
    r"|(input|prompt|request|message|response|output|content) (was|is|has been) (flagged|blocked|filtered|rejected)"
)
_FILTER_KIND = re.compile(r"flagged|moderation|safety|invalid_prompt")
_QUOTED = re.compile(r"(?<!\w)'.*?'(?!\w)|(?<!\w)\".*?\"(?!\w)", re.DOTALL)
_NO_MODEL = re.compile(
    r"model_not_found|models? .{0,200}?(not found|not exist|not loaded|not available)|(unknown|no such|invalid) model"
    r"|no models? loaded|llm provider not provided"
)
_NO_KEY = re.compile(r"api[ _]key (not valid|is not valid|invalid|expired)|(invalid|incorrect)[ _]api[ _]key")
_NO_MONEY = re.compile(r"insufficient_quota|insufficient (credits|balance|funds)|exceeded your current quota")
_UNSUPPORTED = re.compile(
    r"unsupported|not support|unrecognized|unknown|unexpected|extra (inputs|fields)|not (permitted|allowed|available)"
    r"|no longer|deprecated|invalid schema|use '?max_completion_tokens"
)
_BY_STATUS = {
    401: ReplyCode.KEY_REJECTED,
    402: ReplyCode.BUDGET_SPENT,
    403: ReplyCode.KEY_REJECTED,
    404: ReplyCode.MODEL_NOT_FOUND,
    408: ReplyCode.TIMEOUT,
    413: ReplyCode.CONTEXT_TOO_LONG,
    429: ReplyCode.RATE_LIMITED,
    504: ReplyCode.TIMEOUT,
}
_OF_A_PARAMETER = frozenset({400, 422})


class EndpointError(NamedTuple):
    """An error as an endpoint tells it; what it does not tell is empty. `kind` is all that its fields say of it."""

    message: str
    code: str = ""
    parameter: str = ""
    kind: str = ""

    @property
    def words(self) -> str:
        """Its code and its message in one line."""
        return ": ".join(part for part in (self.code, self.message) if part)


def error_of(body: object) -> EndpointError:
    """Return the error in a body of any usual form: OpenAI's, a bare text, FastAPI's `detail`, a flat object."""
    told = body
    if isinstance(told, dict):
        told = told.get("error") or told.get("detail") or told
    if isinstance(told, list) and told:
        told = told[0]
    if not isinstance(told, dict):
        return EndpointError(str(told)[:_LONGEST_MESSAGE] if told else "")
    message = str(told.get("message") or told.get("msg") or "")[:_LONGEST_MESSAGE]
    where = told.get("param") or told.get("loc") or ""
    parts = where if isinstance(where, list) else [where]
    code = str(told.get("code") or told.get("type") or "")[:_LONGEST_DETAIL]
    return EndpointError(message, code, ".".join(map(str, parts))[:_LONGEST_DETAIL], _kind_of(told))


def _kind_of(told: dict[str, Any]) -> str:
    inner, data = told.get("innererror"), told.get("metadata")
    fields = [told.get("code"), told.get("type"), told.get("status")]
    fields += [inner.get("code")] if isinstance(inner, dict) else []
    fields += [name for name in data if isinstance(name, str)] if isinstance(data, dict) else []
    return " ".join(str(field)[:_LONGEST_DETAIL] for field in fields if field)[:_LONGEST_MESSAGE].lower()


def code_of(status: int, error: EndpointError) -> ReplyCode:
    """Return which failure a status of HTTP and an error's words make.

    Words decide before the status, because endpoints answer a blocked prompt, a missing model and a prompt that is
    too long by 400 alike. The fields of the error decide before its message, and a message's quotations decide nothing
    of the prompt, since they may be the prompt.
    """
    words = error.words.lower()
    if status == 429:
        return ReplyCode.BUDGET_SPENT if _NO_MONEY.search(words) else ReplyCode.RATE_LIMITED
    for told in (error.kind, _QUOTED.sub("", error.message.lower())):
        if _CONTEXT.search(told):
            return ReplyCode.CONTEXT_TOO_LONG
        if status < 500 and status != 401 and _FILTER.search(told):
            return ReplyCode.BLOCKED
    if status < 500 and status != 401:
        for pattern, text, code in (
            (_FILTER_KIND, error.kind, ReplyCode.BLOCKED),
            (_NO_MODEL, words, ReplyCode.MODEL_NOT_FOUND),
            (_NO_KEY, words, ReplyCode.KEY_REJECTED),
            (_NO_MONEY, words, ReplyCode.BUDGET_SPENT),
        ):
            if pattern.search(text):
                return code
    return _BY_STATUS.get(status, ReplyCode.SERVER_ERROR if status >= 500 else ReplyCode.BAD_REQUEST)


def rejected_parameter(status: int, body: object, sent: Collection[str]) -> str | None:
    """Return which of the parameters that were sent the model does not take, by its error's body, or `None`.

    A value out of range is the caller's mistake and no rejection: the words must say that the parameter, or this
    value of it, is not supported.
    """
    if status not in _OF_A_PARAMETER:
        return None
    error = error_of(body)
    words = f"{error.words} {error.parameter}".lower()
    if not _UNSUPPORTED.search(words):
        return None
    named = error.parameter.split(".")
    by_name = [name for name in sent if name in named]
    by_words = [name for name in sent if re.search(rf"(?<![\w-]){name}(?![\w-])", words)]
    return next(iter(by_name or by_words), None)


def shown_detail(words: str) -> str:
    """Return an endpoint's words in one line of at most 500 characters, without control characters."""
    line = "".join(char if char.isprintable() else " " for char in well_formed(words[: 2 * _LONGEST_DETAIL]))
    return " ".join(line.split())[:_LONGEST_DETAIL]
