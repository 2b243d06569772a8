"""Chat models by their specification."""

from __future__ import annotations

from pathlib import Path

from confute.models.cached_chat import CachedChat
from confute.models.chat import ChatModel, ModelSpec


def load_chat(spec: ModelSpec, *, cache: Path | None = None) -> ChatModel:
    """Return the model of a specification; `cache` is a folder in which every response is kept and found again.

    Nothing is asked of the endpoint, and a missing key is a reply and no error. Calls share the limits of a model
    through the one object. Raises ModelError, with what to do, where the address, the package or the cache is wrong.
    """
    model = _model(spec)
    return model if cache is None else CachedChat(model, cache)


def _model(spec: ModelSpec) -> ChatModel:
    if spec.provider == "local":
        from confute.models.local import LocalChat

        return LocalChat(spec)
    if spec.provider == "python":
        from confute.models.callable_chat import CallableChat

        return CallableChat(spec)
    if spec.provider == "litellm":
        from confute.models.litellm_chat import LiteLLMChat

        return LiteLLMChat(spec)
    from confute.models.openai_chat import OpenAIChat

    return OpenAIChat(spec)
