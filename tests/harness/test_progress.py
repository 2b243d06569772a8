"""Progress where there is no terminal."""

from confute.harness.progress import Lines


def test_a_phase_that_begins_again_as_before_is_one_line(capsys):
    lines = Lines()
    for phase, total in (("prepare", 1), ("measure", 1), ("measure", 7), ("measure", 1), ("measure", 7)):
        lines.begin(phase, total)
    assert capsys.readouterr().err.splitlines() == ["prepare", "measure", "measure: 7"]
