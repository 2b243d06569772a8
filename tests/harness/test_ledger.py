"""The ledger: append-only, chained, and bound to one run."""

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confute.errors import LedgerError
from confute.harness.ledger import Ledger, key_of
from confute.records import Arm, AttackGoal, Attempt, Decision, Outcome, Score, ScoreState


def attempt(step, *, score=0.5, evidence=("e",), case_id="c"):
    return Attempt(
        contract_digest="d",
        case_id=case_id,
        goal=AttackGoal.FALSE_ACCEPTANCE,
        arm=Arm.SEARCH,
        step=step,
        claim="claim",
        evidence=evidence,
        edits=(),
        ruling=None,
        score=Score(state=ScoreState.MEASURED, value=score),
        decision=Decision.ACCEPT,
        outcome=Outcome.SUCCEEDED,
        queries=1,
    )


def test_what_is_written_is_read_back_in_order_by_another_process_of_reading(tmp_path):
    with Ledger(tmp_path / "l") as ledger:
        ledger.append([attempt(0), attempt(1)])
        ledger.append([attempt(2, evidence=("f", "g"))])
        digest = ledger.digest
    with Ledger(tmp_path / "l") as again:
        assert again.attempts == (attempt(0), attempt(1), attempt(2, evidence=("f", "g")))
        assert again.digest == digest
        assert again.find(key_of(attempt(2))) == attempt(2, evidence=("f", "g"))
        assert again.find(key_of(attempt(3))) is None


def test_the_digest_does_not_depend_on_how_rows_were_batched(tmp_path):
    with Ledger(tmp_path / "one") as one, Ledger(tmp_path / "two") as two:
        one.append([attempt(0), attempt(1)])
        two.append([attempt(0)])
        two.append([attempt(1)])
        assert one.digest == two.digest


def test_a_step_is_written_once_and_a_refused_batch_leaves_nothing(tmp_path):
    with Ledger(tmp_path / "l") as ledger:
        ledger.append([attempt(0)])
        before = ledger.digest
        with pytest.raises(LedgerError, match="written twice"):
            ledger.append([attempt(1), attempt(0)])
        assert ledger.digest == before
    with Ledger(tmp_path / "l") as again:
        assert again.attempts == (attempt(0),)


@pytest.mark.parametrize("statement", ["UPDATE attempts SET body = '{}'", "DELETE FROM attempts"])
def test_rows_can_be_neither_changed_nor_deleted(tmp_path, statement):
    with Ledger(tmp_path / "l") as ledger:
        ledger.append([attempt(0)])
    connection = sqlite3.connect(tmp_path / "l")
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute(statement)
    connection.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE attempts SET body = replace(body, '0.5', '0.4')",
        "UPDATE evidence SET passages = '[\"other\"]'",
    ],
)
def test_an_altered_ledger_is_refused(tmp_path, statement):
    with Ledger(tmp_path / "l") as ledger:
        ledger.append([attempt(0)])
    connection = sqlite3.connect(tmp_path / "l")
    with connection:
        connection.execute("DROP TRIGGER attempts_stay")
        connection.execute(statement)
    connection.close()
    with pytest.raises(LedgerError, match="altered"):
        Ledger(tmp_path / "l")


def test_a_file_that_is_no_ledger_is_refused(tmp_path):
    (tmp_path / "l").write_bytes(b"not a database" * 100)
    with pytest.raises(LedgerError, match="not a readable ledger"):
        Ledger(tmp_path / "l")


def test_a_run_with_another_victim_cannot_go_on_with_the_ledger(tmp_path):
    with Ledger(tmp_path / "l") as ledger:
        ledger.identify({"victim": "v1", "attacker": "a"})
        ledger.identify({"attacker": "a", "victim": "v1"})
        with pytest.raises(LedgerError) as caught:
            ledger.identify({"victim": "v2", "attacker": "a"})
    assert "victim: the run cannot be resumed" in str(caught.value)
    assert "allowed: v1" in str(caught.value)


@given(
    st.lists(st.tuples(st.text(min_size=1, max_size=5), st.floats(allow_nan=False, allow_infinity=False)), max_size=6)
)
def test_any_scores_and_ids_survive_the_ledger(tmp_path_factory, rows):
    attempts = tuple(attempt(step, score=score, case_id=name) for step, (name, score) in enumerate(rows))
    path = tmp_path_factory.mktemp("any") / "l"
    with Ledger(path) as ledger:
        ledger.append(attempts)
    with Ledger(path) as again:
        assert again.attempts == attempts


def test_a_ledger_that_another_process_holds_is_told_of_and_nothing_is_half_written(tmp_path, monkeypatch):
    with Ledger(tmp_path / "l") as ledger:
        ledger._chain._connection.execute("PRAGMA busy_timeout = 0")
        other = sqlite3.connect(tmp_path / "l", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerError, match="cannot be written"):
            ledger.append([attempt(0)])
        other.execute("ROLLBACK")
        other.close()
        ledger.append([attempt(0)])
        assert ledger.attempts == (attempt(0),)
