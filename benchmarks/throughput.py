"""Requests a second of confute's chat client, beside plain clients, against one endpoint on the loopback interface.

python benchmarks/throughput.py [--rounds 5]

The endpoint is a process of its own that answers after a fixed 50 ms. First scenario: 600 requests, 32 at once, by
confute with every response durably written, by AsyncOpenAI as it comes, and by raw aiohttp; the ideal is 32 / 0.05 s =
640 a second. Second scenario: every 7th call is answered by 429 with `Retry-After: 1`, 300 requests, 16 at once. Each
arm runs in a process of its own, the arms of a round one after another; figures are medians over the rounds, ratios
are medians of the ratios within a round.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

LATENCY_S = 0.05
SENTENCE = "The river rose by two metres after the rain, said the council. "
REPLY = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "loopback",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": SENTENCE * 6}}],
    "usage": {"prompt_tokens": 80, "completion_tokens": 90, "total_tokens": 170},
}
ARMS = ("confute", "async_openai", "raw_aiohttp")
One = Callable[[int], Awaitable[object]]


class Scenario(NamedTuple):
    """How many requests are sent, how many at once, and every how many calls one is turned away (0: none)."""

    requests: int
    at_once: int
    every: int


STEADY = Scenario(requests=600, at_once=32, every=0)
LIMITED = Scenario(requests=300, at_once=16, every=7)


def main() -> None:
    """Print the figures of each arm and round, and one JSON object last."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--serve", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--arm", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.serve is not None:
        asyncio.run(serve(asked.serve))
    elif asked.arm is not None:
        print(json.dumps(measured(*asked.arm)))
    else:
        steady = [round_of(STEADY, ARMS) for _ in range(asked.rounds)]
        limited = [round_of(LIMITED, ARMS[:2]) for _ in range(2)]
        print(json.dumps(figures(steady, limited)))


def figures(steady: list[dict[str, Any]], limited: list[dict[str, Any]]) -> dict[str, float]:
    """Return the figures that the last line tells, by the arms of each round."""

    def median(figure: Callable[[dict[str, Any]], float], rounds: list[dict[str, Any]]) -> float:
        return round(statistics.median(map(figure, rounds)), 3)

    ideal = STEADY.at_once / LATENCY_S
    return {
        "requests_per_s": median(lambda arms: arms["confute"]["requests_per_s"], steady),
        "vs_async_openai": median(
            lambda arms: arms["confute"]["requests_per_s"] / arms["async_openai"]["requests_per_s"], steady
        ),
        "vs_raw_aiohttp": median(
            lambda arms: arms["confute"]["requests_per_s"] / arms["raw_aiohttp"]["requests_per_s"], steady
        ),
        "vs_ideal": median(lambda arms: arms["confute"]["requests_per_s"] / ideal, steady),
        "cpu_ms_per_call": median(lambda arms: arms["confute"]["cpu_ms_per_call"], steady),
        "cpu_vs_async_openai": median(
            lambda arms: arms["confute"]["cpu_ms_per_call"] / arms["async_openai"]["cpu_ms_per_call"], steady
        ),
        "rss_mb": max(arms["confute"]["rss_mb"] for arms in steady + limited),
        "limited_s": median(lambda arms: arms["confute"]["seconds"], limited),
        "limited_vs_async_openai": median(
            lambda arms: arms["confute"]["seconds"] / arms["async_openai"]["seconds"], limited
        ),
    }


def round_of(scenario: Scenario, arms: tuple[str, ...]) -> dict[str, Any]:
    """Run each arm in a process of its own against a fresh endpoint, and return what each one measured."""
    done = {}
    for arm in arms:
        with endpoint(scenario.every) as url:
            name = "steady" if scenario is STEADY else "limited"
            command = [sys.executable, __file__, "--arm", f"{name}:{arm}", url]
            done[arm] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        print(f"{name:8} {arm:13} {json.dumps(done[arm])}", flush=True)
    return done


def measured(named: str, url: str) -> dict[str, float]:
    """Return what one arm took in this process: opening and closing its client is in it, importing it is not."""
    name, arm = named.split(":")
    scenario = STEADY if name == "steady" else LIMITED
    run = {"confute": by_confute, "async_openai": by_async_openai, "raw_aiohttp": by_raw_aiohttp}[arm](scenario, url)
    start, cpu = time.perf_counter(), time.process_time()
    asyncio.run(run())
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    return {
        "requests_per_s": round(scenario.requests / seconds, 1),
        "seconds": round(seconds, 3),
        "cpu_ms_per_call": round(1000 * cpu / scenario.requests, 3),
        "rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
    }


def by_confute(scenario: Scenario, url: str) -> Callable[[], Coroutine[Any, Any, None]]:
    """Ask through `load_chat`, with every response on the disk before its call returns."""
    import aiohttp  # noqa: F401
    import openai  # noqa: F401

    from confute.models.chat import ChatRequest, Message, ModelSpec, ReplyCode
    from confute.models.chat_load import load_chat

    async def run() -> None:
        spec = ModelSpec(model="loopback", base_url=url, concurrency=scenario.at_once)
        with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
            model = load_chat(spec, cache=Path(folder))

            async def one(number: int) -> None:
                reply = await model.complete(ChatRequest(messages=(Message(role="user", content=prompt(number)),)))
                assert reply.code is ReplyCode.OK, reply

            await asyncio.gather(*map(one, range(scenario.requests)))

    return run


def by_async_openai(scenario: Scenario, url: str) -> Callable[[], Coroutine[Any, Any, None]]:
    """Ask through the client of the openai package as it comes."""
    import openai

    async def run() -> None:
        async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=4) as client:

            async def one(number: int) -> None:
                made = await client.chat.completions.create(
                    model="loopback", messages=[{"role": "user", "content": prompt(number)}]
                )
                assert made.choices[0].message.content

            await at_once(one, scenario)

    return run


def by_raw_aiohttp(scenario: Scenario, url: str) -> Callable[[], Coroutine[Any, Any, None]]:
    """Post and parse, and nothing else."""
    import aiohttp

    async def run() -> None:
        async with aiohttp.ClientSession() as session:

            async def one(number: int) -> None:
                body = {"model": "loopback", "messages": [{"role": "user", "content": prompt(number)}]}
                async with session.post(f"{url}/chat/completions", json=body) as response:
                    made = await response.json()
                assert made["choices"][0]["message"]["content"]

            await at_once(one, scenario)

    return run


async def at_once(one: One, scenario: Scenario) -> None:
    """Make the calls of a scenario, no more of them open than it says."""
    slots = asyncio.Semaphore(scenario.at_once)

    async def within(number: int) -> None:
        async with slots:
            await one(number)

    await asyncio.gather(*map(within, range(scenario.requests)))


def prompt(number: int) -> str:
    """Return a prompt of some 300 characters that no other number has."""
    return f"Question {number}: what did the council say of the river? " * 5


@contextmanager
def endpoint(every: int) -> Iterator[str]:
    """Serve in a process of its own, and give the address."""
    command = [sys.executable, __file__, "--serve", str(every)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        finally:
            process.kill()


async def serve(every: int) -> None:
    """Answer each request after the latency; every so many calls are turned away at once."""
    calls = iter(range(1, sys.maxsize))

    def answer() -> tuple[float, bytes]:
        if every and next(calls) % every == 0:
            return 0.0, written("429 Too Many Requests", {"error": {"message": "slow down"}}, "Retry-After: 1\r\n")
        return LATENCY_S, written("200 OK", REPLY)

    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Exchange(loop, answer), "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def written(status: str, body: dict[str, Any], more: str = "") -> bytes:
    """Return a response as it stands on the wire."""
    content = json.dumps(body).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n{more}\r\n"
    return head.encode() + content


class Exchange(asyncio.Protocol):
    """A connection that is kept open: reads a request, answers it later."""

    def __init__(self, loop: asyncio.AbstractEventLoop, answer: Callable[[], tuple[float, bytes]]) -> None:
        self._loop = loop
        self._answer = answer
        self._read = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way back."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer once the request is whole."""
        self._read += data
        head, found, body = self._read.partition(b"\r\n\r\n")
        length = [int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        if found and len(body) >= length[0]:
            self._read = b""
            delay, content = self._answer()
            self._loop.call_later(delay, self._transport.write, content)


if __name__ == "__main__":
    main()
