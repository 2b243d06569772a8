"""A measurement of a judge together with the gates that it was held against."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from confute.errors import ReportError
from confute.harness.files import write_text
from confute.harness.judging.bench import Measured
from confute.harness.judging.failures import Failure, failures_part
from confute.harness.judging.gates import Gate, Limits, changed_gate, coverage_gate, gates
from confute.harness.judging.page import Page, markdown
from confute.harness.judging.pages import redteam_page, stability_page, validation_page
from confute.harness.judging.redteam import RedTeam
from confute.harness.judging.stability import Stability, Wording
from confute.harness.judging.validation import Validation
from confute.records import Record

_JSON = "report.json"
_MARKDOWN = "report.md"
_MAKE_ONE = "make one with `confute judge validate`"


class JudgeReport(Record):
    """What was measured, and each gate, passed or not; `ledger` is the chain digest of the votes that it rests on.

    `question` is what the judge was asked, and says what SUCCEEDED means. `failures` tells why verdicts failed.
    """

    question: str = ""
    passed: bool
    gates: tuple[Gate, ...]
    ledger: str
    failures: tuple[Failure, ...] = ()
    result: Validation | Stability | RedTeam

    @property
    def failed(self) -> tuple[str, ...]:
        """The names of the gates that did not pass."""
        return tuple(gate.name for gate in self.gates if not gate.passed)

    def to_json(self) -> str:
        """Return the report as JSON text."""
        return self.model_dump_json(indent=2) + "\n"

    def page(self) -> Page:
        """Return the report as a page of lines and tables, the question first."""
        if isinstance(self.result, Validation):
            page = validation_page(self.result, self.gates)
        elif isinstance(self.result, Stability):
            page = stability_page(self.result, self.gates)
        else:
            page = redteam_page(self.result, self.gates)
        asked = (f"question: {self.question}",) if self.question else ()
        return page._replace(lines=(*asked, *page.lines), parts=(*page.parts, failures_part(self.failures)))


def report(measured: Measured, limits: Limits) -> JudgeReport:
    """Return a measurement held against the limits, and write it into the measurement's folder.

    A validation is held against every gate; a stability measurement against the floor of coverage in each wording; a
    red-team measurement against that floor for cases, controls and strings, and against `max_changed`. Raises
    ReportError where the files cannot be written.
    """
    checked = _gates(measured.result, limits)
    made = JudgeReport(
        question=measured.question,
        passed=all(gate.passed for gate in checked),
        gates=checked,
        ledger=measured.digest,
        failures=measured.failures,
        result=measured.result,
    )
    write_text(measured.folder / _JSON, made.to_json())
    write_text(measured.folder / _MARKDOWN, markdown(made.page()))
    return made


def read_report(path: Path) -> JudgeReport:
    """Return the report in a file or a measurement's folder. Raises ReportError where there is none."""
    file = path / _JSON if path.is_dir() else path
    try:
        return JudgeReport.model_validate_json(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ReportError(f"{file}: no report of a judge: {error.strerror or error}", hint=_MAKE_ONE) from error
    except (UnicodeDecodeError, ValidationError) as error:
        raise ReportError(f"{file}: no report of a judge, but another file", hint=_MAKE_ONE) from error


def _gates(result: Validation | Stability | RedTeam, limits: Limits) -> tuple[Gate, ...]:
    if isinstance(result, Validation):
        return gates(result, limits)
    if isinstance(result, Stability):
        return (coverage_gate([_covered(one) for one in result.wordings], limits.min_coverage),)
    parts = [(one.name, one.measured, one.asked) for one in result.coverage]
    return (coverage_gate(parts, limits.min_coverage), changed_gate(result.overall.changed, limits.max_changed))


def _covered(wording: Wording) -> tuple[str, int, int]:
    name = "cases" if wording.same_as_own is None else f"cases in {wording.name}"
    return name, wording.flaky.denominator, wording.cases
