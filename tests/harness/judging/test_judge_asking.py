from __future__ import annotations

import asyncio
import json
import sqlite3
from pathlib import Path

import pytest
from judge_bench import FAMILY, Quiet, Scripted, bench, case, case_file, validated, verdict, vote

from confute.errors import LedgerError
from confute.harness.judging.asking import Asker, Question
from confute.harness.judging.bench import validate
from confute.harness.judging.failures import Failure, how_to_mend
from confute.harness.judging.gates import Limits
from confute.harness.judging.judgements import Judgement, Key, open_judgements
from confute.harness.judging.page import markdown
from confute.harness.judging.redraws import REDRAW_STRIDE, UNANSWERED
from confute.harness.judging.report import report
from confute.harness.run_lock import locked
from confute.judges.judge import Exhibit
from confute.verdicts import Verdict, VerdictState, VoteState

YES = verdict(VerdictState.SUCCEEDED)
LOST = verdict(VerdictState.ERROR, code="malformed")
CASES = tuple(case(number, "S", reply=f"reply {number}") for number in range(12))


def votes_file(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "votes.jsonl").read_text(encoding="utf-8").splitlines()]


def test_every_vote_is_written_with_its_raw_form_and_its_judge(tmp_path: Path) -> None:
    said = verdict(
        VerdictState.SUCCEEDED, votes=[vote(VoteState.FIRED, raw='{"verdict": "yes"}\ud800\0', reason="why")]
    )
    measured = validated(Scripted(lambda _exhibit, _repeat: said), CASES[:2], tmp_path)
    first, second = votes_file(measured.folder)
    assert (first["case_id"], second["case_id"]) == ("case-0", "case-1")
    kept = first["verdict"]["votes"][0]  # type: ignore[index]
    assert kept["raw"] == '{"verdict": "yes"}\ufffd\0'
    assert (kept["judge"], kept["version"], kept["reason"]) == ("j", "v1", "why")


def test_a_killed_validation_goes_on_without_asking_again(tmp_path: Path) -> None:
    class Killed(Exception):  # noqa: N818
        pass

    class Stops(Quiet):
        def advance(self, units: int) -> None:
            super().advance(units)
            if self.done == 5:
                raise Killed

    first, second = (Scripted(lambda _exhibit, _repeat: YES) for _ in range(2))
    with pytest.raises(Killed):
        asyncio.run(validate(bench(first, tmp_path, progress=Stops(), concurrency=1), case_file(CASES)))
    measured = validated(second, CASES, tmp_path)
    asked = [reply for reply, _ in (*first.asked, *second.asked)]
    assert sorted(asked) == sorted(one.exhibit.reply for one in CASES)
    assert 0 < len(second.asked) < len(CASES)
    assert len(votes_file(measured.folder)) == len(CASES)


def test_a_validation_is_refused_in_a_folder_that_is_in_use(tmp_path: Path) -> None:
    folder = validated(Scripted(lambda _exhibit, _repeat: YES), CASES, tmp_path).folder
    panel = Scripted(lambda _exhibit, _repeat: YES)
    with locked(folder), pytest.raises(LedgerError, match="another run is at work"):
        validated(panel, CASES, tmp_path)
    assert panel.asked == []


def test_a_finished_validation_asks_nothing_and_says_the_same(tmp_path: Path) -> None:
    first, second = (Scripted(lambda _exhibit, _repeat: YES) for _ in range(2))
    assert validated(first, CASES, tmp_path) == validated(second, CASES, tmp_path)
    assert second.asked == []


def test_another_version_other_cases_or_another_seed_is_another_measurement(tmp_path: Path) -> None:
    panel = Scripted(lambda _exhibit, _repeat: YES)
    folders = {
        validated(panel, CASES, tmp_path).folder,
        validated(Scripted(lambda _exhibit, _repeat: YES, version="v2"), CASES, tmp_path).folder,
        validated(panel, CASES, tmp_path, seed=1).folder,
        asyncio.run(validate(bench(panel, tmp_path), case_file(CASES, digest="e" * 64))).folder,
    }
    assert len(folders) == 4


def test_the_order_in_which_answers_come_does_not_show(tmp_path: Path) -> None:
    class Slow(Scripted):
        async def conclude(self, exhibit: Exhibit, *, repeat: int = 0) -> Verdict:
            for _ in range(40 - 3 * int(exhibit.reply.split()[1])):  # the first cases are answered last
                await asyncio.sleep(0)
            return await super().conclude(exhibit, repeat=repeat)

    def measured(concurrency: int) -> tuple[str, object]:
        panel = Slow(lambda exhibit, _repeat: verdict(VerdictState.SUCCEEDED, label=exhibit.reply))
        found = validated(panel, CASES, tmp_path / str(concurrency), concurrency=concurrency)
        return (found.folder / "votes.jsonl").read_text(encoding="utf-8"), found.result

    assert measured(1) == measured(7)


def test_no_more_cases_are_judged_at_once_than_allowed(tmp_path: Path) -> None:
    class Counting(Scripted):
        now = most = 0

        async def conclude(self, exhibit: Exhibit, *, repeat: int = 0) -> Verdict:
            self.now += 1
            self.most = max(self.most, self.now)
            found = await super().conclude(exhibit, repeat=repeat)
            self.now -= 1
            return found

    panel = Counting(lambda _exhibit, _repeat: YES)
    validated(panel, CASES, tmp_path, concurrency=3)
    assert panel.most == 3


def test_an_error_is_redrawn_up_to_the_limit_under_a_repeat_of_its_own(tmp_path: Path) -> None:
    panel = Scripted(lambda _exhibit, repeat: YES if repeat >= 2 * REDRAW_STRIDE else LOST)
    measured = validated(panel, CASES[:1], tmp_path, redraws=3)
    assert [repeat for _, repeat in panel.asked] == [0, REDRAW_STRIDE, 2 * REDRAW_STRIDE]
    assert [row["attempt"] for row in votes_file(measured.folder)] == [0, 1, 2]
    assert measured.result.redrawn == 1  # type: ignore[union-attr]
    assert measured.result.overall.error.numerator == 0  # type: ignore[union-attr]


def test_more_redraws_later_ask_again_what_failed_and_nothing_else(tmp_path: Path) -> None:
    down = Scripted(lambda exhibit, _repeat: LOST if exhibit.reply.endswith("3") else YES)
    up = Scripted(lambda _exhibit, _repeat: YES)
    before = validated(down, CASES[:6], tmp_path)
    after = validated(up, CASES[:6], tmp_path, redraws=1)
    assert up.asked == [("reply 3", REDRAW_STRIDE)]
    assert before.folder == after.folder
    assert after.result.overall.error.numerator == 0  # type: ignore[union-attr]


@pytest.mark.parametrize("code", sorted(UNANSWERED))
def test_what_nobody_answered_is_asked_anew_by_the_same_command_without_using_up_redraws(
    code: str, tmp_path: Path
) -> None:
    lost = verdict(VerdictState.ERROR, code=code)
    down = Scripted(lambda exhibit, _repeat: lost if exhibit.reply.endswith("3") else YES)
    up = Scripted(lambda _exhibit, _repeat: YES)
    for _ in range(2):  # each command asks once more, and not for ever
        validated(down, CASES[:6], tmp_path)
    after = validated(up, CASES[:6], tmp_path)
    assert [reply for reply, _ in down.asked].count("reply 3") == 2
    assert up.asked == [("reply 3", 0)]  # as it was asked first: nothing was drawn
    assert after.result.overall.error.numerator == 0  # type: ignore[union-attr]
    attempts = [row["attempt"] for row in votes_file(after.folder) if row["case_id"] == "case-3"]
    assert attempts == [0, 1, 2]


def test_a_failure_of_the_models_own_is_not_asked_anew_by_the_same_command(tmp_path: Path) -> None:
    panel = Scripted(lambda _exhibit, _repeat: LOST)
    for _ in range(2):
        validated(panel, CASES[:1], tmp_path)
    assert panel.asked == [("reply 0", 0)]


def test_each_code_of_failure_is_told_once_with_the_first_words_that_came_with_it(tmp_path: Path) -> None:
    def says(exhibit: Exhibit, _repeat: int) -> Verdict:
        if exhibit.reply == "reply 0":
            return YES
        failed = vote(VoteState.ERROR, code="key_rejected", reason=f"401 for {exhibit.reply} | <b>")
        return verdict(VerdictState.ERROR, code="key_rejected", votes=[failed])

    measured = validated(Scripted(says), CASES[:3], tmp_path)
    assert measured.failures == (Failure(code="key_rejected", count=2, detail="401 for reply 1 | <b>"),)
    made = report(measured, Limits())
    assert made.failures == measured.failures
    assert how_to_mend([*made.failures, Failure(code="truncated", count=1)]) == (
        "next: mend the cause (key_rejected 2) and give the same command again: it asks these anew",
        "next: a larger --redraws asks again what failed (truncated 1)",
    )
    assert how_to_mend([]) == ()
    assert made.page().parts[-1].rows == (("key_rejected", "2", "401 for reply 1 | <b>"),)
    assert "<b>" not in markdown(made.page())


def test_a_panel_that_raises_or_returns_no_verdict_is_an_error_and_no_crash(tmp_path: Path) -> None:
    def says(exhibit: Exhibit, _repeat: int) -> Verdict:
        if exhibit.reply.endswith("0"):
            raise RuntimeError("\ud800")
        return "yes"  # type: ignore[return-value]

    measured = validated(Scripted(says), CASES[:2], tmp_path)
    codes = [row["verdict"]["code"] for row in votes_file(measured.folder)]  # type: ignore[index]
    assert codes == ["panel_crashed: RuntimeError", "malformed_verdict: 'yes'"]


def test_an_altered_ledger_is_refused(tmp_path: Path) -> None:
    measured = validated(Scripted(lambda _exhibit, _repeat: YES), CASES[:2], tmp_path)
    with sqlite3.connect(measured.folder / "ledger.sqlite") as connection:
        connection.executescript("DROP TRIGGER attempts_stay; UPDATE attempts SET body = replace(body, 'SUCC', 'RES');")
    connection.close()
    with pytest.raises(LedgerError, match="altered"):
        validated(Scripted(lambda _exhibit, _repeat: YES), CASES[:2], tmp_path)


def test_a_judgement_is_written_once(tmp_path: Path) -> None:
    judgement = Judgement(case_id="c", verdict=YES)
    with open_judgements(tmp_path / "l.sqlite") as ledger:
        ledger.append(judgement)
        with pytest.raises(LedgerError, match="written twice"):
            ledger.append(judgement)
        assert ledger.find(Key("c", "", 0, 0)) == judgement
        assert ledger.find(Key("c", "", 1, 0)) is None


def test_progress_is_told_of_every_question(tmp_path: Path) -> None:
    progress = Quiet()
    with open_judgements(tmp_path / "l.sqlite") as ledger:
        asker = Asker({"": Scripted(lambda _exhibit, _repeat: LOST)}, ledger, progress, concurrency=2, redraws=2)
        answers = asyncio.run(asker.ask_all(Question(one.case_id, one.exhibit) for one in CASES))
    assert progress.done == len(CASES)
    assert [one.case_id for one in answers] == [one.case_id for one in CASES]
    assert all(one.verdict.family == FAMILY for one in answers)


def test_a_panel_that_cancels_itself_is_an_error_and_the_rest_is_asked(tmp_path: Path) -> None:
    def said(exhibit: Exhibit, _repeat: int) -> Verdict:
        if exhibit.reply == "reply 1":
            raise asyncio.CancelledError
        return YES

    validated(Scripted(said), CASES[:3], tmp_path)
    folder = next(tmp_path.iterdir())
    states = {str(row["case_id"]): row["verdict"]["state"] for row in votes_file(folder)}  # type: ignore[index]
    assert states == {"case-0": "SUCCEEDED", "case-1": "ERROR", "case-2": "SUCCEEDED"}
