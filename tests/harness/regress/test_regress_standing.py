"""What replays mean for each status, and which moves are legal."""

from __future__ import annotations

from itertools import product

import pytest
from known_failures import known_failure
from pydantic import ValidationError

from confute.counterexample import Counterexample, Mitigation, Status, check_reason
from confute.errors import CorpusError
from confute.harness.regress.replay import ReplayState
from confute.harness.regress.standing import acknowledged, moved, standing

ACTIVE, MITIGATED, ACKNOWLEDGED = Status
HOLDS, FAILS, FLAKY, UNMEASURED = ReplayState
BY = Mitigation(detector="mine:check", version="2", fingerprint="f" * 64)


@pytest.mark.parametrize(
    ("status", "state", "expected", "due"),
    [
        (ACTIVE, HOLDS, True, MITIGATED),
        (ACTIVE, FAILS, False, None),
        (ACTIVE, FLAKY, False, None),
        (ACTIVE, UNMEASURED, False, None),
        (MITIGATED, HOLDS, True, None),
        (MITIGATED, FAILS, False, ACTIVE),
        (MITIGATED, FLAKY, False, None),
        (MITIGATED, UNMEASURED, False, None),
        (ACKNOWLEDGED, HOLDS, True, MITIGATED),
        (ACKNOWLEDGED, FAILS, True, None),
        (ACKNOWLEDGED, FLAKY, True, None),
        (ACKNOWLEDGED, UNMEASURED, False, None),
    ],
)
def test_the_table_of_what_is_expected_and_which_move_is_due(status, state, expected, due) -> None:
    assert standing(status, state)[::2] == (expected, due)
    assert standing(status, state).words


def test_the_table_leaves_nothing_out() -> None:
    assert all(standing(*one).words for one in product(Status, ReplayState))


def test_a_counterexample_that_holds_is_mitigated_by_the_victim_that_did_it() -> None:
    after = moved(known_failure(reason="old", status=ACKNOWLEDGED), standing(ACKNOWLEDGED, HOLDS).due, BY)
    assert (after.status, after.mitigated_by, after.reason) == (MITIGATED, BY, None)


def test_what_is_mitigated_already_keeps_the_first_that_did_it() -> None:
    first = known_failure(status=MITIGATED, mitigated_by=BY)
    assert moved(first, standing(MITIGATED, HOLDS).due, BY.model_copy(update={"version": "3"})) == first


def test_what_fails_again_is_active_and_no_longer_mitigated() -> None:
    after = moved(known_failure(status=MITIGATED, mitigated_by=BY), standing(MITIGATED, FAILS).due, BY)
    assert (after.status, after.mitigated_by) == (ACTIVE, None)


@pytest.mark.parametrize("state", [FLAKY, UNMEASURED])
@pytest.mark.parametrize("status", list(Status))
def test_nothing_moves_on_a_flake_or_on_what_was_not_measured(status, state) -> None:
    row = known_failure(status=status)
    assert moved(row, standing(status, state).due, BY) == row


def test_a_limitation_is_acknowledged_with_its_reason() -> None:
    after = acknowledged(known_failure(), " numbers are out of scope ")
    assert (after.status, after.reason) == (ACKNOWLEDGED, "numbers are out of scope")
    assert acknowledged(after, "another").reason == "another"


@pytest.mark.parametrize("reason", ["", "  \n", "\u200b\u00ad", "\u3164"])
def test_a_limitation_without_a_reason_is_refused(reason: str) -> None:
    with pytest.raises(CorpusError, match="with a reason"):
        acknowledged(known_failure(), reason)


def test_a_reason_that_cannot_be_written_is_refused() -> None:
    with pytest.raises(CorpusError, match="is no text that can be written"):
        acknowledged(known_failure(), "it is \udcff so")


@pytest.mark.parametrize("reason", [None, "", " \t", "\u200b"])
def test_no_record_of_an_acknowledged_limitation_is_without_a_reason(reason: str | None) -> None:
    told = known_failure().model_dump(mode="json") | {"status": "ACKNOWLEDGED_LIMITATION", "reason": reason}
    with pytest.raises(ValidationError, match="needs a reason"):
        Counterexample.model_validate(told)
    assert Counterexample.model_validate(told | {"reason": "so"}).reason == "so"
    with pytest.raises(ValueError, match="needs a reason"):
        check_reason(ACKNOWLEDGED, reason)
    check_reason(ACTIVE, reason)


def test_what_is_mitigated_cannot_be_acknowledged() -> None:
    with pytest.raises(CorpusError, match="cannot be acknowledged"):
        acknowledged(known_failure(status=MITIGATED, mitigated_by=BY), "why not")
