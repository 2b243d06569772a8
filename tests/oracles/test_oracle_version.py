"""An oracle's version follows its code, and the code beside it that it uses."""

import sys

import pytest

from confute.oracles import surface
from confute.oracles.version import version_of


@pytest.fixture
def oracles(tmp_path, monkeypatch):
    """A package of one oracle, which uses `shared`, which uses `deeper`; `apart` is used by none."""
    folder = tmp_path / "made_oracles"
    (folder / "made" / "lexicon").mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "made" / "__init__.py").write_text("from made_oracles import shared\n")
    (folder / "made" / "lexicon" / "law.yaml").write_text("a: 1\n")
    (folder / "shared.py").write_text("def f():\n    from made_oracles.deeper import g\n    return g\n")
    (folder / "deeper.py").write_text("import json\ng = 1\n")
    (folder / "apart.py").write_text("h = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield folder
    for name in [name for name in sys.modules if name.split(".")[0] in {"made_oracles", "alone_oracle"}]:
        del sys.modules[name]


def version():
    return version_of.__wrapped__("made_oracles.made")


@pytest.mark.parametrize("name", ["made/__init__.py", "made/lexicon/law.yaml", "shared.py", "deeper.py"])
def test_the_version_changes_with_every_file_that_the_oracle_is_made_of(oracles, name):
    before = version()
    assert version() == before
    with (oracles / name).open("a") as file:
        file.write("# another\n")
    assert version() != before


def test_the_version_does_not_change_with_what_the_oracle_does_not_use(oracles):
    before = version()
    (oracles / "made" / "notes.txt").write_text("not code")
    (oracles / "apart.py").write_text("h = 2\n")
    assert version() == before


def test_a_package_that_stands_alone_has_a_version(oracles, tmp_path):
    alone = tmp_path / "alone_oracle"
    alone.mkdir()
    (alone / "__init__.py").write_text("import json\n")
    before = version_of.__wrapped__("alone_oracle")
    (alone / "__init__.py").write_text("import math\n")
    assert version_of.__wrapped__("alone_oracle") != before


def test_the_free_text_oracle_counts_what_it_compares_words_with(monkeypatch):
    import confute.oracles.version as versions

    read = versions._sources
    before = version_of.__wrapped__("confute.oracles.text")
    with monkeypatch.context() as patch:
        changed = {"surface.py": "# another"}
        patch.setattr(versions, "_sources", lambda name: changed if name == surface.__name__ else read(name))
        assert version_of.__wrapped__("confute.oracles.text") != before
