"""An oracle's version follows its code."""

from confute.oracles.version import version_of


def test_the_version_changes_with_a_file_of_the_package_and_with_nothing_else(tmp_path, monkeypatch):
    package = tmp_path / "made_oracle"
    (package / "lexicon").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "lexicon" / "law.yaml").write_text("a: 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    before = version_of("made_oracle")
    (package / "notes.txt").write_text("not code")
    assert version_of.__wrapped__("made_oracle") == before
    (package / "lexicon" / "law.yaml").write_text("a: 2\n")
    assert version_of.__wrapped__("made_oracle") != before
