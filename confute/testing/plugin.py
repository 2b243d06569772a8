"""The pytest plugin `confute`; what it does is imported when a test run uses it, and not before."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from confute.errors import ConfuteError
from confute.testing.settings import add_options, settings_of

if TYPE_CHECKING:
    from confute.judges.judge import JudgeCase
    from confute.testing.persona import AskedPersona
    from confute.victims.detector import Detector

_MARKERS = (
    "confute_repeat(k=3, n=None, at_least=1.0, redraws=2): run the test n times (by default k), and pass where pass^k "
    "is at least that; errors are no failures, and are drawn again",
    "confute_sprt(p0=0.05, p1=0.20, alpha=0.05, beta=0.10, cap=50, redraws=2): run the test until Wald's sequential "
    "test tells whether it fails in p0 of runs or in p1; what is open at the cap is no pass",
    "confute_family(name): the family of the fixture judge_case",
)
_REPEATS = ("confute_repeat", "confute_sprt")
_IS_RUNNING = pytest.StashKey[bool]()
_WAS_REPEATED = pytest.StashKey[bool]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Declare the markers, check what was told, and have the corpus collected beside what else is."""
    for line in _MARKERS:
        config.addinivalue_line("markers", line)
    corpus = settings_of(config).corpus
    if corpus is None:
        return
    if not corpus.is_file():
        raise pytest.UsageError(f"--confute: there is no file {corpus}")
    config.option.confute = str(corpus)  # workers in other folders find it, too
    folder = config.invocation_params.dir
    if not any((folder / arg.split("::", maxsplit=1)[0]).resolve() == corpus for arg in config.args):
        config.args.append(str(corpus))


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect the corpus, and no other file."""
    if parent.config.getoption("confute") != str(file_path):
        return None
    from confute.testing.corpus import CorpusFile

    return CorpusFile.from_parent(parent, path=file_path)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for `judge_case` once for each labelled exhibit, where a file of them is given."""
    if "judge_case" not in metafunc.fixturenames:
        return
    settings = settings_of(metafunc.config)
    if settings.judge_cases is None:
        return
    from confute.testing.judge_cases import cases_of

    marker = metafunc.definition.get_closest_marker("confute_family")
    family = str(marker.args[0]) if marker and marker.args else settings.family
    cases = cases_of(settings.judge_cases, family)
    metafunc.parametrize("judge_case", cases, ids=[case.case_id for case in cases], indirect=True)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> object | None:
    """Run a marked test again and again; each run goes by the hooks that any test goes by."""
    if pyfuncitem.stash.get(_IS_RUNNING, False):
        return None
    markers = _markers(pyfuncitem)
    if not markers:
        return None
    pyfuncitem.stash[_WAS_REPEATED] = True
    if len(markers) > 1:
        pytest.fail(f"a test has one of the markers {' and '.join(_REPEATS)}, not both", pytrace=False)
    from confute.testing.repeat import repeated

    __tracebackhide__ = True
    pyfuncitem.stash[_IS_RUNNING] = True
    try:
        repeated(pyfuncitem, markers[0], lambda: pyfuncitem.ihook.pytest_pyfunc_call(pyfuncitem=pyfuncitem))
    finally:
        pyfuncitem.stash[_IS_RUNNING] = False
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Fail a marked test that its runner ran once, as the methods of a unittest.TestCase are run."""
    yield
    if (markers := _markers(item)) and not item.stash.get(_WAS_REPEATED, False):
        pytest.fail(
            f"{markers[0].name}: {type(item).__name__} was run once, and cannot be repeated; mark a plain function, or "
            "a method of a class that is no unittest.TestCase",
            pytrace=False,
        )


def _markers(item: pytest.Item) -> list[pytest.Mark]:
    return [marker for name in _REPEATS if (marker := item.get_closest_marker(name))]


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Tell what came of the runs of repeated tests, errors among them, also where they passed."""
    lines = [
        f"{report.nodeid}: {value}"
        for kind in ("passed", "failed", "xfailed", "xpassed")
        for report in terminalreporter.stats.get(kind, ())
        for name, value in getattr(report, "user_properties", ())
        if name == "confute_runs" and report.when == "call"
    ]
    if lines:
        terminalreporter.section("repeated tests")
        for line in lines:
            terminalreporter.line(line)


@pytest.fixture(scope="session")
def detector(request: pytest.FixtureRequest) -> Detector:
    """The detector under test: override it in conftest.py, or name one by option, ini setting or contract."""
    from confute.testing.subject import detector_of

    with _told_plainly():
        return detector_of(settings_of(request.config))


@pytest.fixture(scope="session")
def persona(request: pytest.FixtureRequest) -> AskedPersona:
    """The persona that `--confute-persona`, the ini setting or the corpus's run names: ask it with `persona.ask()`."""
    from confute.testing.persona import persona_of

    with _told_plainly():
        settings = settings_of(request.config)
        return persona_of(settings.persona, settings.corpus)


@pytest.fixture
def judge_case(request: pytest.FixtureRequest) -> JudgeCase:
    """One labelled exhibit of the file that `--confute-judge-cases` or the ini setting names."""
    from confute.testing.judge_cases import given

    with _told_plainly():
        return given(getattr(request, "param", None))


@contextmanager
def _told_plainly() -> Iterator[None]:
    """Show a mistake in what was given as its message, without the lines of code that found it."""
    try:
        yield
    except ConfuteError as error:
        pytest.fail(str(error), pytrace=False)
