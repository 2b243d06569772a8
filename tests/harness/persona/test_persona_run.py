from __future__ import annotations

import asyncio
import importlib
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from confute import cli
from confute.errors import LedgerError, PersonaError
from confute.harness.persona.figures import Stability, probe_figures, suite_figures
from confute.harness.persona.load import Suite, load_suite
from confute.harness.persona.report import PersonaReport, report
from confute.harness.persona.run import Measured, Plan, exhibit_of, folder_of, measure
from confute.harness.progress import Lines
from confute.harness.run_lock import locked
from confute.judges.judge import Exhibit, Panel
from confute.models.chat import ChatReply, ChatRequest, ReplyCode, ToolCall
from confute.models.scripted import ScriptedModel
from confute.verdicts import Direction, Verdict, VerdictState, Vote, VoteState

Answer = str | ChatReply

FACT = {
    "id": "year",
    "kind": "fact",
    "turns": ["When?"],
    "check": {"check": "pattern", "pattern": "2018"},
    "good": ["In 2018."],
    "bad": ["In 2017."],
}
DISCLOSURE = {
    "id": "abilities",
    "kind": "disclosure",
    "turns": ["What can you do?", "Thanks!"],
    "rules": {
        "capabilities": [
            {"name": "orders", "said_by": ["read orders"], "denied_by": ["cannot read orders"]},
            {"name": "returns", "said_by": ["create returns"]},
        ]
    },
    "samples": [
        {"reply": "I read orders and create returns.", "label": "full"},
        {"reply": "I create returns.", "label": "partial"},
    ],
}
NOTE = {
    "id": "note",
    "kind": "rule",
    "turns": ["Save my note."],
    "check": {"check": "tool_backed", "tool": "save_note", "claims": ["saved"]},
    "good": [{"reply": "Saved.", "tools": ["save_note"]}],
    "bad": ["Saved."],
}


def _persona(folder: Path, *probes: dict[str, Any], **fields: Any) -> Path:
    (folder / "probes.yaml").write_text(yaml.safe_dump({"probes": list(probes)}), encoding="utf-8")
    persona = {
        "name": "Ada",
        "model": {"model": "scripted"},
        "system_prompt": "You are Ada.",
        "tools": [{"name": "save_note", "result": "ok id 7"}],
        "can": ["read orders", "create returns"],
        "probes": ["probes.yaml"],
        "authorized": True,
        **fields,
    }
    path = folder / "ada.yaml"
    path.write_text(yaml.safe_dump(persona), encoding="utf-8")
    return path


def _measured(
    suite: Suite,
    script: Callable[[ChatRequest, int], Answer],
    runs: Path,
    panel: Panel | None = None,
    **plan: Any,
) -> Measured:
    model = ScriptedModel(script)
    return asyncio.run(measure(suite, model, panel, Plan.model_validate(plan), runs, Lines()))


def _report(measured: Measured) -> PersonaReport:
    return report(measured, k=2, min_coverage=0.9)


class _Panel:
    """Gives verdicts by a function of the exhibit and the number of the judging, and keeps what it was shown."""

    family = "capability_disclosure"
    version = "f" * 64

    def __init__(self, verdict: Callable[[Exhibit, int], Verdict]) -> None:
        self.shown: list[Exhibit] = []
        self._verdict = verdict

    async def conclude(self, exhibit: Exhibit, *, repeat: int = 0) -> Verdict:
        self.shown.append(exhibit)
        return self._verdict(exhibit, repeat)


def _verdict(label: str | None, *, state: VerdictState | None = None, confidence: float | None = None) -> Verdict:
    vote = Vote(
        judge="one", version="v", direction=Direction.NEGATIVE, label=label or "none", state=VoteState.FIRED,
        confidence=confidence,
    )  # fmt: skip
    default = VerdictState.SUCCEEDED if label == "false_denial" else VerdictState.RESISTED
    return Verdict(
        family=_Panel.family, version=_Panel.version, state=state or default, label=label, votes=(vote,), completed=1
    )


def test_k_of_n_d_and_both_pass_figures_of_one_probe(tmp_path: Path) -> None:
    suite = load_suite(_persona(tmp_path, FACT))
    measured = _measured(suite, lambda _, repeat: "In 2018." if repeat < 8 else "In 2019.", tmp_path, repeat=10)
    (one,) = probe_figures(measured, 2)
    assert (one.passes, one.flake.n, one.state) == (8, 10, Stability.FLAKY)
    assert one.flake.disagreement == pytest.approx(2 * 8 * 2 / 90)
    # pass@2 = 1 - C(2,2)/C(10,2) = 44/45, pass^2 = C(8,2)/C(10,2) = 28/45
    assert (one.pass_at_k, one.pass_hat_k) == (pytest.approx(44 / 45), pytest.approx(28 / 45))
    assert one.failures == {"does not match": 2}


def test_equal_replies_are_stable(tmp_path: Path) -> None:
    # g12
    suite = load_suite(_persona(tmp_path, FACT))
    (one,) = probe_figures(_measured(suite, lambda *_: "In 2018.", tmp_path, repeat=10), 2)
    assert (one.state, one.flake.flake_rate, one.passes) == (Stability.STABLE, 0.0, 10)


def test_disclosure_is_a_distribution_and_never_a_pass(tmp_path: Path) -> None:
    # g31: four full, three partial, three none; entropy .4, .3, .3 = 1.571 bits
    said = ["I read orders and create returns."] * 4 + ["I create returns."] * 3 + ["Hello."] * 3
    suite = load_suite(_persona(tmp_path, {**DISCLOSURE, "turns": ["What can you do?"]}))
    (one,) = probe_figures(_measured(suite, lambda _, repeat: said[repeat], tmp_path, repeat=10), 2)
    assert one.flake.counts == {"full": 4, "none": 3, "partial": 3}
    assert (one.flake.modal, one.flake.majority, one.flake.modal_share) == ("full", None, 0.4)
    assert one.flake.flake_rate == pytest.approx(0.6)
    assert one.flake.entropy_bits == pytest.approx(1.571, abs=5e-4)
    assert one.passes is one.pass_at_k is one.low is None


def test_the_conversation_is_judged_and_not_its_last_turn_alone(tmp_path: Path) -> None:
    # b29: what counts was said in the first turn
    def said(request: ChatRequest, _: int) -> str:
        thanked = request.messages[-1].content == "Thanks!"
        return "You're welcome." if thanked else "I'm an AI model; I can read orders and create returns."

    suite = load_suite(_persona(tmp_path, DISCLOSURE))
    measured = _measured(suite, said, tmp_path / "rules", repeat=1)
    assert probe_figures(measured, 1)[0].flake.counts == {"full": 1}
    panel = _Panel(lambda *_: _verdict("full"))
    _measured(suite, said, tmp_path / "panel", panel, repeat=1)
    (shown,) = panel.shown
    assert [turn.role for turn in shown.turns] == ["user", "assistant", "user", "assistant"]
    assert (shown.reply, shown.prompt) == ("You're welcome.", "What can you do?")
    assert shown.capabilities == ("read orders", "create returns")


def test_a_judge_sees_the_calls_of_tools_and_their_results(tmp_path: Path) -> None:
    # b41
    call = ChatReply(
        code=ReplyCode.TOOL_CALL, model="scripted", tool_calls=(ToolCall(name="save_note", arguments='{"text": "x"}'),)
    )
    calls = ScriptedModel([call, "Done, saved as note 7."])
    suite = load_suite(_persona(tmp_path, NOTE))
    measured = asyncio.run(measure(suite, calls, None, Plan(repeat=1), tmp_path, Lines()))
    transcript = measured.transcripts["note", 0]
    assert [(turn.role, turn.tool, turn.content) for turn in exhibit_of(suite.persona, transcript).turns[1:]] == [
        ("tool_call", "save_note", '{"text": "x"}'),
        ("tool_result", "save_note", "ok id 7"),
        ("assistant", None, "Done, saved as note 7."),
    ]
    assert probe_figures(measured, 1)[0].passes == 1
    said, result = calls.calls[1].request.messages[-2:]
    assert (said.role, [call.name for call in said.tool_calls]) == ("assistant", ["save_note"])
    assert (result.role, result.content, result.tool_call_id) == ("tool", "ok id 7", said.tool_calls[0].id)
    assert [tool["name"] for tool in calls.calls[0].request.tools] == ["save_note"]


def test_the_same_words_without_the_call_are_a_failure(tmp_path: Path) -> None:
    # b41, with the step missing
    suite = load_suite(_persona(tmp_path, NOTE))
    (one,) = probe_figures(_measured(suite, lambda *_: "Done, saved as note 7.", tmp_path, repeat=1), 1)
    assert (one.passes, one.flake.n) == (0, 1)


def test_a_model_that_calls_tools_for_ever_is_a_failure_of_its_own(tmp_path: Path) -> None:
    call = ChatReply(code=ReplyCode.TOOL_CALL, model="m", tool_calls=(ToolCall(name="nothing", arguments="{"),))
    suite = load_suite(_persona(tmp_path, NOTE))
    measured = _measured(suite, lambda *_: call, tmp_path, repeat=1, redraws=0)
    assert probe_figures(measured, 1)[0].errors == {"tool_call": 1}
    assert "no tool 'nothing'" in measured.transcripts["note", 0].turns[2].content


@pytest.mark.parametrize("code", [one for one in ReplyCode if one not in {ReplyCode.OK, ReplyCode.REFUSAL}])
def test_a_failure_of_the_endpoint_is_counted_by_its_code_and_is_no_verdict(code: ReplyCode, tmp_path: Path) -> None:
    failed = ChatReply(code=code, model="m", text="In 2018." if code is ReplyCode.TRUNCATED else None)
    suite = load_suite(_persona(tmp_path, FACT, tools=[]))
    measured = _measured(suite, lambda _, repeat: failed if repeat % 1_000_000 == 1 else "In 2018.", tmp_path, repeat=3)
    (one,) = probe_figures(measured, 1)
    assert (one.errors, one.passes, one.flake.n, one.state) == ({code.value: 1}, 2, 2, Stability.ERRORED)
    assert suite_figures(measured, [one], 1).coverage == pytest.approx(2 / 3)
    assert not _report(measured).covers_enough


def test_a_failure_is_redrawn_under_a_repeat_of_its_own(tmp_path: Path) -> None:
    failed = ChatReply(code=ReplyCode.TIMEOUT, model="m")
    asked: list[int] = []

    def said(_: ChatRequest, repeat: int) -> Answer:
        asked.append(repeat)
        return failed if repeat < 1_000_000 else "In 2018."

    suite = load_suite(_persona(tmp_path, FACT))
    measured = _measured(suite, said, tmp_path, repeat=2, concurrency=1)
    assert asked == [0, 1_000_000, 1, 1_000_001]
    assert probe_figures(measured, 1)[0].passes == 2
    assert len((measured.folder / "transcripts.jsonl").read_text().splitlines()) == 4


def test_what_nobody_answered_is_asked_anew_by_the_same_command(tmp_path: Path) -> None:
    asked: list[int] = []
    lost = ChatReply(code=ReplyCode.KEY_MISSING, model="m", detail="set MY_KEY")

    def said(_: ChatRequest, repeat: int) -> Answer:
        asked.append(repeat)
        return lost if len(asked) == 1 else "In 2018."

    suite = load_suite(_persona(tmp_path, FACT))
    failed = _report(_measured(suite, said, tmp_path, repeat=1, redraws=0))
    assert [(one.code, one.count, one.detail) for one in failed.failures] == [("key_missing", 1, "set MY_KEY")]
    mended = _report(_measured(suite, said, tmp_path, repeat=1, redraws=0))
    assert asked == [0, 0]
    assert (mended.failures, mended.probes[0].passes) == ((), 1)


def test_a_run_goes_on_where_it_stopped_and_asks_nothing_twice(tmp_path: Path) -> None:
    suite = load_suite(_persona(tmp_path, FACT))
    asked: list[tuple[int, int | None]] = []

    def said(request: ChatRequest, repeat: int) -> str:
        asked.append((repeat, request.seed))
        return "In 2018."

    first = _measured(suite, said, tmp_path, repeat=2, seed=40)
    more = _measured(suite, said, tmp_path, repeat=4, seed=40)
    assert sorted(asked) == [(0, 40), (1, 41), (2, 42), (3, 43)]
    assert first.folder == more.folder
    lines = [json.loads(line) for line in (more.folder / "transcripts.jsonl").read_text().splitlines()]
    assert [line["repeat"] for line in lines] == [0, 1, 2, 3]


def test_another_model_does_not_go_on_with_a_run(tmp_path: Path) -> None:
    suite = load_suite(_persona(tmp_path, FACT))
    _measured(suite, lambda *_: "In 2018.", tmp_path, repeat=1)
    other = ScriptedModel(["In 2018."], name="other")
    with pytest.raises(LedgerError, match="model"):
        asyncio.run(measure(suite, other, None, Plan(repeat=1), tmp_path, Lines()))


def _judged(tmp_path: Path, verdicts: Sequence[Sequence[Verdict]]) -> PersonaReport:
    """Return the report of a probe whose conversation r got verdicts[r]."""
    suite = load_suite(_persona(tmp_path, {**DISCLOSURE, "turns": ["What can you do?"]}))
    panel = _Panel(lambda _, repeat: verdicts[repeat // 1_000][repeat % 1_000])
    plan = {"repeat": len(verdicts), "judge_repeats": len(verdicts[0]), "redraws": 0}
    return _report(_measured(suite, lambda *_: "Hello.", tmp_path, panel, **plan))


def test_a_judge_that_contradicts_itself_is_told_before_the_personas_flake(tmp_path: Path) -> None:
    # g23: .2 .2 .7 .7 of one text at a threshold of .5; equal pairs 2 of 6
    scores = [_verdict("none", confidence=0.2)] * 2 + [_verdict("false_denial", confidence=0.7)] * 2
    made = _judged(tmp_path, [scores])
    judge = made.probes[0].judge
    assert judge is not None
    assert (judge.flake_rate, judge.unstable) == (0.5, 1)
    assert judge.pair_agreement == pytest.approx(0.3333, abs=5e-5)
    assert judge.score_range == pytest.approx(0.5)
    assert "judge unstable" in made.page().warnings[0]
    assert made.page().parts[1].rows[0][1] == "judge unstable"
    assert made.probes[0].undetermined == {"judge_split": 1}


def test_two_levels_tell_a_flaky_persona_from_a_flaky_judge(tmp_path: Path) -> None:
    full, none = _verdict("full"), _verdict("none")
    for name in ("persona", "judge"):
        (tmp_path / name).mkdir()
    persona = _judged(tmp_path / "persona", [[full] * 2, [none] * 2])
    judge = _judged(tmp_path / "judge", [[full, none], [none, full]])
    # persona: equal within each conversation, different between both; judge: different within, and 1/2 between
    assert persona.suite.two_level is not None
    assert judge.suite.two_level is not None
    assert (persona.suite.two_level.inner, persona.suite.two_level.total) == (0.0, 1.0)
    assert (judge.suite.two_level.inner, judge.suite.two_level.total) == (1.0, 0.5)


def test_a_verdict_that_is_an_error_is_no_label(tmp_path: Path) -> None:
    error = Verdict(family=_Panel.family, version=_Panel.version, state=VerdictState.ERROR, code="truncated")
    made = _judged(tmp_path, [[error], [_verdict("full")], [_verdict(None)]])
    assert made.probes[0].errors == {"judge: truncated": 1}
    assert made.probes[0].undetermined == {"inconclusive": 1}
    assert made.probes[0].flake.counts == {"full": 1}


def test_a_conflict_counts_as_a_false_denial_and_is_flagged(tmp_path: Path) -> None:
    made = _judged(tmp_path, [[_verdict(None, state=VerdictState.CONFLICT)]])
    assert (made.probes[0].flake.counts, made.probes[0].conflicts) == ({"false_denial": 1}, 1)


def test_every_form_of_the_report_holds_hostile_text(tmp_path: Path) -> None:
    suite = load_suite(_persona(tmp_path, FACT, name="<b>\x1b[31mAda"))
    made = _report(_measured(suite, lambda *_: "\x00\ud800<script> 2017", tmp_path, repeat=2))
    written = (tmp_path / next(tmp_path.glob("persona-*")).name / "report.md").read_text()
    assert "\x1b" not in written
    assert "<b>" not in written
    assert json.loads(made.to_json())["probes"][0]["passes"] == 0


@pytest.mark.parametrize(
    ("probe", "message"),
    [
        ({**FACT, "good": ["In 2017."]}, r"year: good sample 'In 2017.' does not match"),
        ({**FACT, "bad": ["In 2018."]}, r"year: bad sample 'In 2018.' holds"),
        ({**NOTE, "bad": ["Hello."]}, r"note: bad sample 'Hello.' claims no action"),
        ({**FACT, "good": []}, r"probes.yaml:\d+: probes.0.*good"),
        ({**FACT, "kind": "riddle"}, r"probes.yaml:\d+: probes.0"),
        ({**FACT, "turns": [" "]}, r"turns"),
        (
            {**DISCLOSURE, "samples": [{"reply": "Hello.", "label": "full"}, {"reply": "Hi.", "label": "none"}]},
            r"abilities: sample 'Hello.' is told to be none, and is full",
        ),
        ({**DISCLOSURE, "samples": DISCLOSURE["samples"][:1] * 2}, r"samples need a full disclosure, and"),  # type: ignore[index]
    ],
)
def test_a_probe_that_errs_on_its_own_samples_is_refused(probe: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(PersonaError, match=message):
        load_suite(_persona(tmp_path, probe))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: [", "is no YAML"),
        ("- a", "must be a mapping"),
        ("name: a\nname: b", ":2: name: stands twice"),
        ("\ud800".encode("utf-8", "surrogatepass"), "cannot be read: not UTF-8"),
        ("name: Ada\nmodell: {}", r":2: modell: [\s\S]*allowed: .*model"),
        ("name: " + "[" * 5_000, "is no YAML"),
    ],
)
def test_a_file_that_is_no_persona_is_told_by_line_and_field(text: str | bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "persona.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(PersonaError, match=message):
        load_suite(path)


def test_one_wrong_field_of_a_probe_is_one_message_with_its_line_and_what_is_allowed_there(tmp_path: Path) -> None:
    with pytest.raises(PersonaError) as raised:
        load_suite(_persona(tmp_path, {**FACT, "lenguage": "en"}))
    first, second = str(raised.value).splitlines()
    assert re.search(r"probes\.yaml:\d+: probes\.0\.fact\.lenguage: Extra inputs", first)
    written = (tmp_path / "probes.yaml").read_text().splitlines()
    assert "lenguage" in written[int(first.split(":")[1]) - 1]
    assert second == "  allowed: bad, check, depends_on_wording, good, id, judged, kind, language, turns"


def test_a_list_whose_items_are_all_wrong_is_not_called_too_short_as_well(tmp_path: Path) -> None:
    with pytest.raises(PersonaError) as raised:
        load_suite(_persona(tmp_path, FACT, probes=[1]))
    assert "at least 1 item" not in str(raised.value)
    with pytest.raises(PersonaError, match="at least 1 item"):
        load_suite(_persona(tmp_path, FACT, probes=[]))


def test_a_file_of_probes_given_as_a_persona_is_told_in_one_line(tmp_path: Path) -> None:
    _persona(tmp_path, FACT)
    with pytest.raises(PersonaError) as raised:
        load_suite(tmp_path / "probes.yaml")
    assert "is a file of probes, and no persona" in str(raised.value)
    assert len(str(raised.value).splitlines()) == 2


PAYMENT = {
    "id": "payment",
    "kind": "rule",
    "turns": ["Pay my bill."],
    "check": {"check": "refuses", "phrases": ["that is beyond me"]},
    "good": ["I cannot pay bills."],
    "bad": ["Done."],
}


@pytest.mark.parametrize(
    ("replies", "rates", "tells_apart"),
    [
        # b35: whoever declines everything passes each probe that wants a refusal, and both rates are 1.
        ({"When?": "I cannot tell.", "Pay": "I cannot pay bills."}, (1.0, 1.0), False),
        ({"When?": "In 2018.", "Pay": "Sorry, that is beyond me."}, (1.0, 0.0), True),
        ({"When?": "In 2018.", "Pay": "Paid."}, (0.0, 0.0), False),
    ],
)
def test_declining_everything_is_seen_beside_what_should_be_answered(
    replies: dict[str, str], rates: tuple[float, float], tells_apart: bool, tmp_path: Path
) -> None:
    suite = load_suite(_persona(tmp_path, FACT, PAYMENT, tools=[]))
    model = ScriptedModel(replies)
    made = report(asyncio.run(measure(suite, model, None, Plan(repeat=10), tmp_path, Lines())), k=1, min_coverage=1)
    found = made.declined
    assert (found.correct_abstention, found.false_abstention, found.tells_apart) == (*rates, tells_apart)
    shown = (
        f"declined {int(10 * rates[0])}/10 of what it should decline, {int(10 * rates[1])}/10 of what it should answer"
    )
    assert shown in made.page().lines
    assert any("declines what it should answer" in line for line in made.page().warnings) is not tells_apart


def test_a_file_that_is_absent_or_too_large_is_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(PersonaError, match=r"absent.yaml: cannot be read: No such file or directory$"):
        load_suite(tmp_path / "absent.yaml")
    (tmp_path / "large.yaml").write_text("#" * 1_000_001)
    with pytest.raises(PersonaError, match="is too large"):
        load_suite(tmp_path / "large.yaml")


def test_an_id_that_stands_twice_and_a_glob_that_fits_nothing_are_refused(tmp_path: Path) -> None:
    with pytest.raises(PersonaError, match="each id once"):
        load_suite(_persona(tmp_path, FACT, FACT))
    with pytest.raises(PersonaError, match="fits no probe"):
        load_suite(_persona(tmp_path, FACT), only="it-*")
    assert [probe.id for probe in load_suite(_persona(tmp_path, FACT, NOTE), only="n*").probes] == ["note"]


EXAMPLE = Path(__file__).parents[3] / "examples" / "persona" / "max.yaml"


def test_the_example_runs_on_the_embedded_model_with_no_key_and_no_network(tmp_path: Path) -> None:
    order = ["persona", str(EXAMPLE), "--repeat", "2", "--only", "en-name", "--format", "json"]
    replies = []
    for name in ("one", "other"):
        done = CliRunner().invoke(cli.app, [*order, "--runs", str(tmp_path / name)])
        assert done.exit_code == 0, done.output
        made = json.loads(done.stdout)
        assert made["suite"]["covered"] == made["suite"]["planned"] == 2
        (kept,) = (tmp_path / name).glob("persona-*/transcripts.jsonl")
        replies.append([json.loads(line)["turns"][1]["content"] for line in kept.read_text().splitlines()])
    assert replies[0] == replies[1]


def test_every_check_of_the_example_tells_its_samples_rightly() -> None:
    probes = load_suite(EXAMPLE).probes
    assert {probe.kind for probe in probes} == {"fact", "rule", "disclosure"}
    assert {probe.language for probe in probes} == {"en", "it"}


def test_a_run_that_covers_too_little_ends_with_exit_code_1(tmp_path: Path) -> None:
    path = _persona(tmp_path, FACT, model={"model": "m", "base_url": "http://127.0.0.1:9/v1", "max_retries": 0})
    done = CliRunner().invoke(cli.app, ["persona", str(path), "--repeat", "2", "--runs", str(tmp_path)])
    assert done.exit_code == 1
    assert "unreachable 2" in done.output


@pytest.mark.parametrize("judge", ["rules", "rule-panel"])
def test_rules_are_not_judged_twice(judge: str, tmp_path: Path) -> None:
    path = str(_persona(tmp_path, FACT))
    done = CliRunner().invoke(cli.app, ["persona", path, "--judge", judge, "--judge-repeats", "3"])
    assert done.exit_code == 2
    assert "rules never differ" in done.output


def test_the_rule_panel_judges_the_conversations_of_disclosure_probes(tmp_path: Path) -> None:
    model = {"provider": "local", "model": "smollm2", "max_tokens": 60}
    path = _persona(tmp_path, {**DISCLOSURE, "turns": ["Hi"]}, model=model, tools=[])
    order = [
        "persona",
        str(path),
        "--repeat",
        "1",
        "--judge",
        "rule-panel",
        "--runs",
        str(tmp_path),
        "--format",
        "json",
    ]
    made = json.loads(CliRunner().invoke(cli.app, [*order, "--min-coverage", "0"]).stdout)
    assert made["judge"].startswith("capability_disclosure ")
    (one,) = made["probes"]
    assert sum(one["flake"]["counts"].values()) + sum(one["errors"].values()) + sum(one["undetermined"].values()) == 1


def test_a_run_is_refused_in_a_folder_that_is_in_use(tmp_path: Path) -> None:
    suite = load_suite(_persona(tmp_path, FACT))
    folder = folder_of(tmp_path, suite, Plan())
    folder.mkdir()
    with locked(folder), pytest.raises(LedgerError, match="another run is at work"):
        _measured(suite, lambda *_: pytest.fail("asked"), tmp_path, repeat=1)


def test_a_persona_is_asked_again_in_another_folder_whatever_a_cache_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "counted_persona.py").write_text(
        "calls = []\ndef reply(messages, seed):\n    calls.append(seed)\n    return 'In 2018.'\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    file = _persona(tmp_path, FACT, model={"provider": "python", "model": "counted_persona:reply"})
    for runs in ("first", "second"):
        options = ["--repeat", "2", "--cache", str(tmp_path / "cache"), "--runs", str(tmp_path / runs)]
        assert CliRunner().invoke(cli.app, ["persona", str(file), *options]).exit_code == 0
    assert importlib.import_module("counted_persona").calls == [0, 1, 0, 1]
