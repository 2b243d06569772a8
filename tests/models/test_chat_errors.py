from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confute.models.chat import ReplyCode
from confute.models.endpoint_errors import code_of, error_of, rejected_parameter, shown_detail

SENT = ("temperature", "seed", "max_tokens", "response_format")


def told(message: str, **error: Any) -> dict[str, Any]:
    return {"error": {"message": message, **error}}


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (401, told("Incorrect API key provided: sk-x. You can find your key.", code="invalid_api_key"), "key_rejected"),
        (403, told("You are not allowed to sample from this model"), "key_rejected"),
        (400, told("API key not valid. Please pass a valid API key.", code=400), "key_rejected"),
        (404, told("The model `gpt-9` does not exist or you do not have access to it."), "model_not_found"),
        (404, told("model 'llama9' not found"), "model_not_found"),
        (400, told("Invalid model identifier", code="model_not_found"), "model_not_found"),
        (400, told("This model's maximum context length is 8192 tokens. However, your messages hold 9000.",
                   code="context_length_exceeded"), "context_too_long"),
        (400, told("the request is too large", type="exceed_context_size_error"), "context_too_long"),
        (400, told("prompt is too long: 210000 tokens > 200000 maximum"), "context_too_long"),
        (413, "payload too large", "context_too_long"),
        (400, told("The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
                   code="content_filter"), "blocked"),
        (403, told("Your chosen model requires moderation and your input was flagged"), "blocked"),
        (400, {"object": "error", "message": "The decoder prompt (length 5000) is longer than the maximum model length"
               " of 4096.", "type": "BadRequestError", "code": 400}, "context_too_long"),
        (422, {"error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000",
               "error_type": "validation"}, "context_too_long"),
        (422, {"error": "Input validation error: `inputs` must have less than 1024 tokens. Given: 1500"},
         "context_too_long"),
        (400, told("Invalid value for messages[0].content: 'please flagged the moderation'"), "bad_request"),
        (400, told("Invalid value: 'my prompt was flagged by a content filter'", code="invalid_value"), "bad_request"),
        (400, told("Unknown role in \"the context length is too long\""), "bad_request"),
        (400, told("This model's maximum context length is 9 tokens; your user's messages: 10"), "context_too_long"),
        (400, told("flagged", innererror={"code": "ResponsibleAIPolicyViolation"}), "blocked"),
        (403, told("no", metadata={"flagged_input": "x"}), "blocked"),
        (400, told("AzureException - filtered", type="ContentPolicyViolationError"), "blocked"),
        (400, told("x", type="ContextWindowExceededError"), "context_too_long"),
        (400, told("model " * 1_000_000), "bad_request"),
        (429, told("Rate limit reached for requests"), "rate_limited"),
        (429, told("You exceeded your current quota", code="insufficient_quota"), "budget_spent"),
        (429, told("The model is not available right now, its context window per minute is full"), "rate_limited"),
        (402, told("Insufficient credits"), "budget_spent"),
        (408, "", "timeout"),
        (504, "<html>Gateway Timeout</html>", "timeout"),
        (500, told("The server had an error while processing your request"), "server_error"),
        (503, {"detail": "overloaded"}, "server_error"),
        (400, told("Invalid 'temperature': expected a value <= 2, but got 3 instead."), "bad_request"),
        (302, "", "bad_request"),
    ],
)  # fmt: skip
def test_each_failure_has_its_own_code(status: int, body: Any, code: str) -> None:
    assert code_of(status, error_of(body)) is ReplyCode(code)


@pytest.mark.parametrize(
    ("message", "fields", "rejected"),
    [
        ("Unsupported value: 'temperature' does not support 0.2 with this model. Only the default is.",
         {"param": "temperature", "code": "unsupported_value"}, "temperature"),
        ("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
         {"param": "max_tokens", "code": "unsupported_parameter"}, "max_tokens"),
        ("Unrecognized request argument supplied: seed", {}, "seed"),
        ("seed: Extra inputs are not permitted", {}, "seed"),
        ("Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
         {"param": "response_format"}, "response_format"),
        ("Invalid schema for response_format 'answer'", {"param": "response_format.json_schema"}, "response_format"),
        ("litellm.UnsupportedParamsError: anthropic does not support parameters: ['seed'], for model=x", {}, "seed"),
        ("Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 3 instead.",
         {"param": "temperature", "code": "decimal_above_max_value"}, None),
        ("max_tokens is too large: 100000. This model supports at most 16384 completion tokens.",
         {"param": "max_tokens"}, None),
        ("Unsupported parameter: 'logit_bias'", {"param": "logit_bias"}, None),
        ("this model does not support tools", {}, None),
    ],
)  # fmt: skip
def test_a_parameter_is_rejected_where_the_words_say_that_it_is_not_supported(
    message: str, fields: dict[str, Any], rejected: str | None
) -> None:
    assert rejected_parameter(400, told(message, **fields), SENT) == rejected


def test_a_parameter_that_was_not_sent_or_another_status_rejects_nothing() -> None:
    body = told("Unsupported parameter: 'seed'", param="seed")
    assert rejected_parameter(400, body, ["temperature"]) is None
    assert rejected_parameter(500, body, SENT) is None


def test_errors_of_the_usual_forms_are_read() -> None:
    assert error_of({"error": "no such thing"}).words == "no such thing"
    assert error_of({"object": "error", "message": "bad", "code": 400}).words == "400: bad"
    fastapi = error_of({"detail": [{"loc": ["body", "seed"], "msg": "extra fields not permitted"}]})
    assert (fastapi.message, fastapi.parameter) == ("extra fields not permitted", "body.seed")


@given(st.text(st.characters(codec=None)))
def test_a_detail_is_one_printable_line_of_at_most_500_characters(words: str) -> None:
    detail = shown_detail(words * 50)
    assert len(detail) <= 500
    assert detail.isprintable()
    detail.encode()
