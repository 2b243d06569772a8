"""The way of a request to an endpoint of OpenAI's protocol, and of its response back, unread."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from confute.errors import ModelError
from confute.models.api_keys import ApiKey
from confute.models.chat import ModelSpec, ReplyCode
from confute.models.per_loop import PerLoop
from confute.models.reading import Failure, Response
from confute.models.response_body import ENCODING, UnreadableBodyError, parsed, read

if TYPE_CHECKING:
    import httpx2

OPENAI_URL = "https://api.openai.com/v1"


class OpenAIWire:
    """Posts bodies through a client of the `openai` package, and takes the raw responses.

    The client is the one over aiohttp where that is installed (the extra `fast`): the default pool slows down beyond 16
    connections. What the package's parsing validates is validated here again, and a body is read to a bound. The client
    is opened at the first request in an event loop and closed when that loop ends. Nothing but the key and the body is
    sent, and no redirect is followed, so that both stay with the host that they are meant for.
    """

    def __init__(self, spec: ModelSpec, key: ApiKey) -> None:
        """Take an endpoint by its address; raises ModelError where that is none or holds a password or a query."""
        self._spec = spec
        self._key = key
        self._address = _checked(OPENAI_URL if spec.base_url is None else spec.base_url)
        self._opened = PerLoop(self._open)

    async def send(self, body: dict[str, Any]) -> Response | Failure:
        """Return the response to a body, or the failure that none came."""
        import httpx2

        client, url, headers = await self._opened.get()
        content = json.dumps(body, ensure_ascii=False).encode()
        try:
            response = await client.send(httpx2.Request("POST", url, headers=headers, content=content), stream=True)
        except _unsent() as error:
            return self._unanswered(error)
        try:
            async with aclosing(response):
                content = await read(response.aiter_raw(), response.headers.get("content-encoding", ""))
        except UnreadableBodyError as error:
            return Failure(ReplyCode.MALFORMED, f"{self._address}: the body of the response cannot be read: {error}")
        except _unsent() as error:
            code = ReplyCode.MALFORMED if _is_garbled(error) else ReplyCode.UNREACHABLE
            return Failure(code, f"{self._address}: the response breaks off")
        return Response(response.status_code, response.headers, parsed(content))

    def _unanswered(self, error: Exception) -> Failure:
        """The failure of a request; the words of what is no HTTP are left out, since they may hold anything."""
        if _is_garbled(error):
            return Failure(ReplyCode.MALFORMED, f"{self._address}: what came is no HTTP")
        return Failure(ReplyCode.UNREACHABLE, f"{self._address}: {type(error).__name__}: {error}")

    async def _open(self) -> AsyncGenerator[tuple[httpx2.AsyncClient, httpx2.URL, httpx2.Headers], None]:
        import httpx2
        from openai import DefaultAioHttpClient, DefaultAsyncHttpxClient

        headers = {"Content-Type": "application/json", "User-Agent": "confute", "Accept-Encoding": ENCODING}
        if self._key.value is not None:
            headers["Authorization"] = f"Bearer {self._key.value}"
        # Reading the certificates of the system takes 30 ms, and plain HTTP needs none.
        secure = not self._address.startswith("http:")
        kind = DefaultAioHttpClient if _has_aiohttp() else DefaultAsyncHttpxClient
        async with kind(follow_redirects=False, verify=secure) as client:
            yield client, httpx2.URL(self._address.rstrip("/") + "/chat/completions"), httpx2.Headers(headers)


@cache
def _has_aiohttp() -> bool:
    return find_spec("aiohttp") is not None


def _is_garbled(error: Exception) -> bool:
    import httpx2

    if isinstance(error, httpx2.RemoteProtocolError):
        return not str(error).startswith(("Server disconnected", "peer closed"))
    if not _has_aiohttp():
        return False
    import aiohttp

    return isinstance(error, aiohttp.ClientResponseError)


def _unsent() -> tuple[type[Exception], ...]:
    import httpx2

    if not _has_aiohttp():
        return (httpx2.HTTPError, OSError, ValueError)
    import aiohttp

    return (httpx2.HTTPError, aiohttp.ClientError, OSError, ValueError)


def _checked(address: str) -> str:
    if "@" in address or "?" in address:
        hint = "name the variable of the key in api_key_env"
        raise ModelError("must hold no user name, password or query", field="base_url", hint=hint)
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        allowed = "http:// or https://, a host, and the path before /chat/completions"
        raise ModelError("is not the address of an endpoint", field="base_url", allowed=allowed)
    return address
