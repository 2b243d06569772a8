import pytest
from hypothesis import given
from hypothesis import strategies as st

from confute.contract import Segmentation, SegmentationUnit
from confute.text import is_blank
from confute.victims.segmentation import passages

SENTENCE = Segmentation()
UNITS = [
    SENTENCE,
    Segmentation(unit="passage"),
    Segmentation(unit="whole"),
    Segmentation(unit="window", window_tokens=4),
    Segmentation(unit="window", window_tokens=4, stride_tokens=2),
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It opened in 1932. It closed in 1941.", ["It opened in 1932.", "It closed in 1941."]),
        ("Dr. Smith met Mr. J. R. Jones. They talked.", ["Dr. Smith met Mr. J. R. Jones.", "They talked."]),
        ("The dose was 3.14 mg. It rose to 4.2 mg.", ["The dose was 3.14 mg.", "It rose to 4.2 mg."]),
        ("E. coli grew. Growth stopped (p < 0.05).", ["E. coli grew.", "Growth stopped (p < 0.05)."]),
        ("The U.S. Government agreed. Others did not.", ["The U.S. Government agreed.", "Others did not."]),
        ("Acme Inc. bought Beta Ltd. in 2010. It paid.", ["Acme Inc. bought Beta Ltd. in 2010.", "It paid."]),
        (
            "Smith et al. wrote it, cf. Fig. 2 there. We agree.",
            ["Smith et al. wrote it, cf. Fig. 2 there.", "We agree."],
        ),
        ("Really? Yes! Good.", ["Really?", "Yes!", "Good."]),
        ("A heading\n\nThe text. More", ["A heading", "The text.", "More"]),
        ("One line\nwraps. Two", ["One line\nwraps.", "Two"]),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text, expected):
    assert passages((text,), SENTENCE) == tuple(expected)


def test_sentences_do_not_run_across_items():
    assert passages(("no full stop", "and here neither"), SENTENCE) == ("no full stop", "and here neither")


def test_passages_are_the_items_without_their_margins():
    assert passages((" One. Two. ", "\n", "Three."), Segmentation(unit="passage")) == ("One. Two.", "Three.")


def test_whole_is_one_passage():
    assert passages(("One. Two.", " ", "Three."), Segmentation(unit="whole")) == ("One. Two.\nThree.",)


def test_windows_lie_end_to_end_and_the_last_is_short():
    five = Segmentation(unit="window", window_tokens=2)
    assert passages(("a b c d e",), five) == ("a b", "c d", "e")


def test_windows_overlap_where_the_stride_is_short_and_stop_at_the_end_of_the_item():
    overlapping = Segmentation(unit="window", window_tokens=3, stride_tokens=2)
    # a b c, c d e: the second reaches the end, so none begins at e. The item after it starts anew.
    assert passages(("a b c d e", "f g"), overlapping) == ("a b c", "c d e", "f g")


def test_a_window_keeps_punctuation_as_tokens_and_the_text_between_them():
    assert passages(("It cost 3.5, he said",), Segmentation(unit="window", window_tokens=5)) == (
        "It cost 3.5",
        ", he said",
    )


@pytest.mark.parametrize("blank", ["", "  \n\t", "\x00\x01", "\u200b\u200d", "\u3000", "\ud800", "\u3164\u2800"])
@pytest.mark.parametrize("segmentation", UNITS)
def test_evidence_that_shows_nothing_has_no_passage(blank, segmentation):
    assert is_blank(blank)
    assert passages((blank, blank), segmentation) == ()


@given(
    st.lists(st.text(st.characters() | st.sampled_from(list(" .\n\r?!\x00\ud800\u200b\"'(A1"))), max_size=4).map(tuple)
)
def test_no_text_breaks_a_unit_and_no_passage_is_blank(evidence):
    for segmentation in UNITS:
        assert not any(is_blank(passage) for passage in passages(evidence, segmentation))


@given(st.lists(st.text(st.sampled_from("ab1 .\n?(é日")), max_size=4).map(tuple))
def test_every_unit_keeps_every_letter_and_digit(evidence):
    seen = [character for item in evidence for character in item if character.isalnum()]
    for segmentation in UNITS[:4]:
        kept = [
            character for passage in passages(evidence, segmentation) for character in passage if character.isalnum()
        ]
        assert kept == seen, segmentation


def test_long_hostile_text_is_cut_without_a_blow_up():
    for piece in ("\n\n", "\n \n", "A. B. ", "...", "(", "Mr. ", "a.\n", '"'):
        text = piece * (100_000 // len(piece))
        assert all(len(passage) <= len(text) for passage in passages((text,), SENTENCE))


def test_every_unit_is_covered_here():
    assert {segmentation.unit for segmentation in UNITS} == set(SegmentationUnit)
