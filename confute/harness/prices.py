"""What a request to a chat model may use at most, and what a reply did use, in tokens and dollars."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import NamedTuple

from confute.contract import Budgets, RunBudgets
from confute.models.chat import ChatReply, ChatRequest, ModelSpec

_TOKENS_PER_REQUEST = 64
_TOKENS_PER_MESSAGE = 16
_DEFAULT_REPLY = 500
_MILLION = 1_000_000


class Use(NamedTuple):
    """Tokens, prompt and reply together, and exact dollars; no price counts as no dollars."""

    tokens: int
    dollars: Fraction


def most(request: ChatRequest, spec: ModelSpec) -> Use:
    """Return what a request can use at most.

    A prompt has at most one token for each byte of its UTF-8 form and of its JSON Schema, 16 for each message's frame
    and 64 for what a template adds: byte-level and sentence-piece vocabularies have no shorter token. A reply has
    `max_tokens`, 500 where neither request nor model sets it.
    """
    texts = [message.content for message in request.messages]
    texts += [] if request.json_schema is None else [json.dumps(request.json_schema)]
    prompt = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    prompt += _TOKENS_PER_REQUEST + _TOKENS_PER_MESSAGE * len(request.messages)
    return _priced(prompt, longest_reply(request.max_tokens, spec), spec)


def longest_reply(max_tokens: int | None, spec: ModelSpec) -> int:
    """Return the most tokens that a reply may have."""
    return max_tokens or spec.max_tokens or _DEFAULT_REPLY


def priced(spec: ModelSpec) -> bool:
    """Tell whether a model's prices are known; the embedded one costs nothing."""
    return spec.provider == "local" or None not in {spec.prompt_price, spec.completion_price}


def used(reply: ChatReply, spec: ModelSpec, bound: Use) -> Use:
    """Return what a reply used; the bound where the endpoint does not tell its tokens."""
    usage = reply.usage
    if usage.prompt_tokens is None or usage.completion_tokens is None:
        return bound
    counted = _priced(usage.prompt_tokens, usage.completion_tokens, spec)
    return counted if usage.cost_usd is None else counted._replace(dollars=Fraction(str(usage.cost_usd)))


def at_most(amount: int, limit: int | None) -> int:
    """Return an amount, or its limit where that is less; None is no limit."""
    return amount if limit is None else min(amount, limit)


def within(use: Use, limits: Budgets | RunBudgets) -> Use:
    """Return a use as limits of the attacker's tokens and money bound it."""
    money = use.dollars if limits.money_usd is None else min(use.dollars, Fraction(str(limits.money_usd)))
    return Use(at_most(use.tokens, limits.attacker_tokens), money)


def _priced(prompt: int, completion: int, spec: ModelSpec) -> Use:
    prices = [Fraction(str(price or 0)) for price in (spec.prompt_price, spec.completion_price)]
    return Use(prompt + completion, (prompt * prices[0] + completion * prices[1]) / _MILLION)
