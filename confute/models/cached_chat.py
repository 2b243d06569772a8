"""A chat model whose responses are kept on disk, so that no question is paid for twice."""

from __future__ import annotations

import json
import time
from pathlib import Path

from confute.models.chat import ChatModel, ChatReply, ChatRequest
from confute.models.response_store import ResponseStore, Row
from confute.records import digest_of


class CachedChat:
    """Asks another model only what its file has no answer to, and returns when the answer is on the disk.

    A key is the SHA-256 over the other model's fingerprint, the messages, every parameter and the repeat: a repeat is
    never answered by the reply to another one, and a file may serve many models. Failures are written down and asked
    anew.
    """

    def __init__(self, model: ChatModel, folder: Path) -> None:
        """Open or make the file in a folder; raises ModelError where that cannot be."""
        self._model = model
        self._store = ResponseStore(folder)

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the model whose responses are kept."""
        return self._model.fingerprint

    async def complete(self, request: ChatRequest, *, repeat: int = 0) -> ChatReply:
        """Return the reply that the file holds, or else the model's own; raises ModelError where the file fails."""
        asked = request.model_dump()
        key = bytes.fromhex(digest_of([self.fingerprint, asked, repeat]))
        found = await self._store.find(key)
        if found is not None:
            return found.model_copy(update={"cached": True})
        reply = await self._model.complete(request, repeat=repeat)
        await self._store.add(Row(key, json.dumps([asked, repeat]), reply, time.time()))
        return reply
