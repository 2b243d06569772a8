"""The way of a request to an endpoint of OpenAI's protocol, and of its response back, unread."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from confute.errors import ModelError
from confute.models.api_keys import ApiKey
from confute.models.chat import ChatReply, ModelSpec, ReplyCode
from confute.models.per_loop import PerLoop
from confute.models.reading import Response, failed, parsed

if TYPE_CHECKING:
    from openai import AsyncOpenAI

OPENAI_URL = "https://api.openai.com/v1"
_NO_KEY = "none"


class OpenAIWire:
    """Posts bodies through the aiohttp transport of the `openai` package.

    Its default pool slows down beyond 16 connections, and what it validates is validated here again: this sends bytes
    and takes the raw response. The client is opened at the first request in an event loop and closed when that loop
    ends. Nothing follows a redirect, so that a key stays with the host that it is meant for.
    """

    def __init__(self, spec: ModelSpec, key: ApiKey) -> None:
        """Take an endpoint by its address; raises ModelError where that is none or holds a password."""
        self._spec = spec
        self._key = key
        self._address = _checked(OPENAI_URL if spec.base_url is None else spec.base_url)
        self._client = PerLoop(self._open)

    async def send(self, body: dict[str, Any]) -> Response | ChatReply:
        """Return the response to a body, or the failure that none came."""
        import aiohttp
        import httpx2
        from openai import APIStatusError, OpenAIError

        client = await self._client.get()
        content = json.dumps(body, ensure_ascii=False).encode()
        try:
            response = await client.post("/chat/completions", cast_to=httpx2.Response, content=content)
        except APIStatusError as error:
            response = error.response
        except OpenAIError as error:
            unreadable = isinstance(error.__cause__, httpx2.DecodingError)
            return self._failed(ReplyCode.MALFORMED if unreadable else ReplyCode.UNREACHABLE, error.__cause__ or error)
        except aiohttp.ClientResponseError as error:
            return self._failed(ReplyCode.MALFORMED, error)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            return self._failed(ReplyCode.UNREACHABLE, error)
        return Response(response.status_code, response.headers, parsed(self._key.redacted(response.content)))

    async def aclose(self) -> None:
        """Close the client of the running event loop."""
        await self._client.aclose()

    def _failed(self, code: ReplyCode, error: BaseException) -> ChatReply:
        return failed(self._spec, code, f"{self._address}: {type(error).__name__}: {error}")

    async def _open(self) -> AsyncGenerator[AsyncOpenAI, None]:
        from openai import AsyncOpenAI, DefaultAioHttpClient

        # Reading the certificates of the system takes 30 ms, and plain HTTP needs none.
        secure = not self._address.startswith("http:")
        client = AsyncOpenAI(
            api_key=self._key.value or _NO_KEY,
            base_url=self._address,
            max_retries=0,
            timeout=None,
            http_client=DefaultAioHttpClient(follow_redirects=False, verify=secure),
        )
        try:
            yield client
        finally:
            await client.close()


def _checked(address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ModelError(
            "is not the address of an endpoint",
            field="base_url",
            allowed="http:// or https://, a host, and the path before /chat/completions",
            got=address,
        )
    if parts.username is not None or parts.password is not None:
        raise ModelError(
            "holds a user name or a password", field="base_url", hint="name the key's variable: api_key_env"
        )
    return address
