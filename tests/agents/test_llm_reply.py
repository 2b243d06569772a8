"""What a model's reply proposes, and why it proposes nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confute.agents.agent import Reply
from confute.agents.llm_reply import Answer, Fault, read
from confute.models.chat import ReplyCode


def said(text, code=ReplyCode.OK):
    return Reply(code=code, text=text)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ('{"improvement": "x", "proposal": [2]}', (2,)),
        ('{"proposal": 3}', (3,)),
        ('{"proposal": ["1", 2, 1]}', (1, 2)),
        ('<think>[9]</think> ```json\n{"proposal": [1]}\n```', (1,)),
        ('Sure! {"Proposal": [1, 3]} I hope this helps.', (1, 3)),
    ],
)
def test_numbers_are_read_alone_or_in_a_list_once_each(text, numbers):
    assert read(said(text), options=3).proposal == numbers


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"proposal": [4]}', Fault.OUT_OF_DOMAIN),
        ('{"proposal": [0]}', Fault.OUT_OF_DOMAIN),
        ('{"proposal": []}', Fault.OUT_OF_DOMAIN),
        ('{"proposal": true}', Fault.OUT_OF_DOMAIN),
        ('{"proposal": [1.5]}', Fault.OUT_OF_DOMAIN),
        ('{"proposal": [1], "proposal": [2]}', Fault.CONTRADICTORY),
        ('{"proposal": [1]} or {"proposal": [2]}', Fault.CONTRADICTORY),
        ('{"improvement": "x"}', Fault.MISSING_KEY),
        ('{"proposal": [1', Fault.TRUNCATED),
        ("I'm sorry, I cannot help with that.", Fault.REFUSED),
        ("the first one", Fault.UNPARSEABLE),
        ("", Fault.UNPARSEABLE),
    ],
)
def test_what_names_no_offered_edit_has_its_own_fault(text, fault):
    assert read(said(text), options=3) == Answer(fault=fault)


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        (ReplyCode.BUDGET_SPENT, Fault.BUDGET_SPENT),
        (ReplyCode.REFUSAL, Fault.REFUSED),
        (ReplyCode.TIMEOUT, Fault.NO_REPLY),
        (ReplyCode.BLOCKED, Fault.NO_REPLY),
    ],
)
def test_a_failure_of_the_endpoint_is_no_proposal(code, fault):
    assert read(Reply(code=code), options=3).fault is fault


def test_a_whole_answer_in_a_truncated_reply_still_counts():
    assert read(said('{"proposal": [1]} and then', ReplyCode.TRUNCATED), options=3).proposal == (1,)


def test_a_text_is_stripped_and_must_show_something():
    assert read(said('{"proposal": " A claim. "}'), options=None).proposal == "A claim."
    assert read(said('{"proposal": "\\u200b "}'), options=None).fault is Fault.OUT_OF_DOMAIN
    assert read(said('{"proposal": [1]}'), options=None).fault is Fault.OUT_OF_DOMAIN


def test_a_free_text_must_name_one_of_the_mechanisms():
    names = ("quantity", "polarity")
    answer = read(said('{"mechanism": "Quantity", "proposal": "x"}'), options=None, mechanisms=names)
    assert (answer.mechanism, answer.proposal) == ("quantity", "x")
    assert read(said('{"mechanism": "magic", "proposal": "x"}'), options=None, mechanisms=names).fault is (
        Fault.OUT_OF_DOMAIN
    )
    assert read(said('{"proposal": "x"}'), options=None, mechanisms=names).fault is Fault.MISSING_KEY


@given(st.text(max_size=300), st.none() | st.integers(1, 5))
def test_no_reply_raises(text, options):
    answer = read(said(text), options=options)
    assert (answer.fault is None) == bool(answer.proposal)
