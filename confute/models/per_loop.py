"""A resource that belongs to one event loop: opened at its first use there, closed when the loop ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

Resource = TypeVar("Resource")
_KEPT: WeakKeyDictionary[asyncio.AbstractEventLoop, list[AsyncGenerator[Any, None]]] = WeakKeyDictionary()


class PerLoop(Generic[Resource]):
    """Gives the running loop its own resource, so that an object outlives `asyncio.run` and leaks nothing.

    The resource is what an asynchronous generator yields: its first step must not wait, and what follows the `yield`
    closes the resource. `asyncio.run` finishes every such generator before it ends its loop, and until then it is kept:
    one that nobody refers to any more could not be closed in order.
    """

    def __init__(self, opened: Callable[[], AsyncGenerator[Resource, None]]) -> None:
        self._opened = opened
        self._loop: asyncio.AbstractEventLoop | None = None
        self._generator: AsyncGenerator[Resource, None] | None = None
        self._resource: Resource | None = None

    async def get(self) -> Resource:
        """Return the resource of the running loop, opened now where there is none yet."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop or self._resource is None:
            self._loop, self._generator = loop, self._opened()
            _KEPT.setdefault(loop, []).append(self._generator)
            self._resource = await anext(self._generator)
        return self._resource
