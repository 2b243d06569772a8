from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loopback import asking

from confute.errors import ModelError
from confute.models.cached_chat import CachedChat
from confute.models.chat import ChatReply, ChatRequest, Message, ReplyCode
from confute.models.response_store import FILE
from confute.models.scripted import ScriptedModel

SCHEMA = {"type": "object"}


def ask(model: CachedChat, *asked: tuple[ChatRequest, int]) -> list[ChatReply]:
    async def run() -> list[ChatReply]:
        return [await model.complete(request, repeat=repeat) for request, repeat in asked]

    return asyncio.run(run())


def rows(folder: Path, columns: str = "code") -> list[Any]:
    with closing(sqlite3.connect(folder / FILE)) as connection:
        return connection.execute(f"SELECT {columns} FROM responses ORDER BY number").fetchall()


def test_a_question_is_asked_once_over_all_runs(tmp_path: Path) -> None:
    inner = ScriptedModel(["Yes."])
    first, second = ask(CachedChat(inner, tmp_path), (asking(), 0), (asking(), 0))
    (third,) = ask(CachedChat(inner, tmp_path), (asking(), 0))
    assert (first.cached, first.text) == (False, "Yes.")
    assert second == third == first.model_copy(update={"cached": True})
    assert len(inner.calls) == 1


BASE = asking()


@pytest.mark.parametrize(
    "request_",
    [
        asking("Is it  so?"),
        ChatRequest(messages=(Message(role="system", content="Is it so?"),)),
        ChatRequest(messages=(*BASE.messages, *BASE.messages)),
        asking(temperature=0.0),
        asking(seed=0),
        asking(max_tokens=1),
        asking(json_schema=SCHEMA),
        asking(tools=(SCHEMA,)),
    ],
)
def test_a_request_that_differs_in_anything_is_another_question(tmp_path: Path, request_: ChatRequest) -> None:
    inner = ScriptedModel(["a", "b"])
    assert [reply.text for reply in ask(CachedChat(inner, tmp_path), (BASE, 0), (request_, 0))] == ["a", "b"]


def test_a_repeat_is_never_answered_by_another_repeat(tmp_path: Path) -> None:
    inner = ScriptedModel(lambda request, repeat: f"run {repeat}")
    model = CachedChat(inner, tmp_path)
    asked = [(BASE, repeat) for repeat in (0, 1, 2, 1, 0)]
    assert [reply.text for reply in ask(model, *asked)] == ["run 0", "run 1", "run 2", "run 1", "run 0"]
    assert [call.repeat for call in inner.calls] == [0, 1, 2]


def test_models_of_one_file_are_kept_apart(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (reply,) = ask(CachedChat(ScriptedModel([name], name=name), tmp_path), (BASE, 0))
        assert reply.text == name


@pytest.mark.parametrize("code", sorted(ReplyCode))
def test_only_whole_replies_and_refusals_are_found_again_and_all_are_recorded(tmp_path: Path, code: ReplyCode) -> None:
    told = ChatReply(code=code, model="m", text="half" if code is ReplyCode.TRUNCATED else None, detail="why")
    inner = ScriptedModel([told, "asked anew"])
    replies = ask(CachedChat(inner, tmp_path), (BASE, 0), (BASE, 0))
    kept = code in ("ok", "refusal")
    assert replies[1].cached is kept
    assert rows(tmp_path) == ([(code,)] if kept else [(code,), ("ok",)])


@settings(max_examples=25)
@given(st.text(st.characters(codec=None), max_size=20), st.text(st.characters(codec=None), max_size=20))
def test_any_text_is_kept_as_it_is(tmp_path_factory: pytest.TempPathFactory, asked: str, told: str) -> None:
    reply = ChatReply(code=ReplyCode.OK, model="m", text=told)
    folder = tmp_path_factory.mktemp("cache")
    replies = ask(CachedChat(ScriptedModel([reply]), folder), (asking(asked), 0), (asking(asked), 0))
    assert [one.text for one in replies] == [told, told]


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE responses SET reply = replace(reply, 'Yes', 'No')",
        "UPDATE responses SET crc32 = 1",
        "UPDATE responses SET reply = x'00'",
        "UPDATE responses SET reply = '{', crc32 = 4195341329",
    ],
)
def test_a_damaged_row_is_asked_anew(tmp_path: Path, damage: str) -> None:
    ask(CachedChat(ScriptedModel(["Yes."]), tmp_path), (BASE, 0))
    with closing(sqlite3.connect(tmp_path / FILE)) as connection, connection:
        connection.execute(damage)
    replies = ask(CachedChat(ScriptedModel(["Yes again."]), tmp_path), (BASE, 0), (BASE, 0))
    assert [(reply.text, reply.cached) for reply in replies] == [("Yes again.", False), ("Yes again.", True)]


def other_database(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE vectors (key BLOB)")


@pytest.mark.parametrize(
    "make",
    [lambda file: file.write_bytes(b"no database at all, but long enough to look at" * 20), other_database, Path.mkdir],
)
def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path: Path, make: Callable[[Path], Any]) -> None:
    make(tmp_path / FILE)
    before = (tmp_path / FILE).read_bytes() if (tmp_path / FILE).is_file() else None
    with pytest.raises(ModelError, match=FILE) as raised:
        CachedChat(ScriptedModel([]), tmp_path)
    assert "choose another cache folder" in str(raised.value)
    if before is not None and b"no database" in before:
        assert (tmp_path / FILE).read_bytes() == before


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(ModelError, match="cannot be made"):
        CachedChat(ScriptedModel([]), tmp_path / "file" / "cache")


def test_a_file_that_breaks_during_a_run_is_an_error_for_each_call(tmp_path: Path) -> None:
    model = CachedChat(ScriptedModel(lambda request, repeat: "Yes."), tmp_path)

    async def run() -> list[ChatReply | BaseException]:
        await model.complete(asking("first"))
        with closing(sqlite3.connect(tmp_path / FILE)) as connection, connection:
            connection.execute("ALTER TABLE responses RENAME COLUMN at TO then_at")
        return await asyncio.gather(*(model.complete(asking(str(n))) for n in range(5)), return_exceptions=True)

    assert all(isinstance(one, ModelError) and FILE in str(one) for one in asyncio.run(run()))


def test_what_a_cancelled_run_had_received_is_still_written(tmp_path: Path) -> None:
    model = CachedChat(ScriptedModel(lambda request, repeat: "Yes."), tmp_path)

    async def run() -> None:
        calls = [asyncio.create_task(model.complete(asking(str(number)))) for number in range(5)]
        await asyncio.sleep(0)
        assert not any(call.done() for call in calls)

    asyncio.run(run())
    assert rows(tmp_path) == [("ok",)] * 5


WRITER = textwrap.dedent(
    """
    import asyncio, sys
    from pathlib import Path
    from confute.models.cached_chat import CachedChat
    from confute.models.chat import ChatRequest, Message
    from confute.models.scripted import ScriptedModel

    async def main(folder, name, count, stay):
        model = CachedChat(ScriptedModel(lambda request, repeat: request.messages[0].content), Path(folder))
        asked = [ChatRequest(messages=(Message(role="user", content=f"{name} {n}"),)) for n in range(int(count))]
        await asyncio.gather(*(model.complete(request) for request in asked))
        print("written", flush=True)
        if stay:
            await asyncio.Event().wait()

    asyncio.run(main(*sys.argv[1:4], len(sys.argv) > 4))
    """
)


def writer(folder: Path, name: str, count: int, *stay: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-W", "error", "-c", WRITER, str(folder), name, str(count), *stay]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_two_processes_share_a_file(tmp_path: Path) -> None:
    both = [writer(tmp_path, name, 200) for name in ("a", "b")]
    for process in both:
        out, err = process.communicate(timeout=60)
        assert (out, err, process.returncode) == ("written\n", "", 0)
    requests = [asking(f"{name} {n}") for name in "ab" for n in range(200)]
    replies = ask(CachedChat(ScriptedModel([]), tmp_path), *((request, 0) for request in requests))
    assert [reply.text for reply in replies] == [request.messages[0].content for request in requests]


def test_a_killed_process_loses_nothing_that_was_answered(tmp_path: Path) -> None:
    with writer(tmp_path, "a", 50, "stay") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "written\n"
        os.kill(process.pid, signal.SIGKILL)
    assert rows(tmp_path) == [("ok",)] * 50
    (reply,) = ask(CachedChat(ScriptedModel([]), tmp_path), (asking("a 49"), 0))
    assert reply.text == "a 49"


def test_the_record_tells_what_was_asked_and_when(tmp_path: Path) -> None:
    ask(CachedChat(ScriptedModel(["Yes."]), tmp_path), (asking("caf\u00e9 \ud800"), 2))
    ((request, at),) = rows(tmp_path, "request, at")
    assert "caf\\u00e9 \\ud800" in request
    assert request.endswith(", 2]")
    assert at > 1.6e9


def test_a_row_under_another_key_or_code_is_damaged_too(tmp_path: Path) -> None:
    inner = ScriptedModel(["Yes.", ChatReply(code=ReplyCode.TRUNCATED, model="m", text="N"), "Yes again.", "No."])
    first, second = (asking("Is it so?"), 0), (asking("Is it not?"), 0)
    ask(CachedChat(inner, tmp_path), first, second)
    with closing(sqlite3.connect(tmp_path / FILE)) as connection, connection:
        (key,) = connection.execute("SELECT key FROM responses WHERE code = 'truncated'").fetchone()
        connection.execute("UPDATE responses SET code = 'ok' WHERE code = 'truncated'")
        connection.execute("UPDATE responses SET key = zeroblob(32) || key WHERE code = 'ok' AND key <> ?", (key,))
        connection.execute("UPDATE responses SET key = ? WHERE length(key) > 32", (key,))
    # The answer to the first question stands under the second one's key, and a truncated one is called whole.
    assert [reply.text for reply in ask(CachedChat(inner, tmp_path), second, first)] == ["Yes again.", "No."]
