"""A report in each of the forms that go into a file."""

from __future__ import annotations

from pathlib import Path

from confute.errors import ReportError
from confute.harness.render.html import html
from confute.harness.render.markdown import markdown
from confute.harness.render.rates_csv import rates_csv
from confute.harness.report import Report

_FORMS = {"json": Report.to_json, "md": markdown, "csv": rates_csv, "html": html}
_FILES = {"report.json": "json", "report.md": "md", "rates.csv": "csv", "report.html": "html"}


def rendered(report: Report, form: str) -> str:
    """Return the report as text in one of the forms json, md, csv and html.

    Raises ReportError for any other form.
    """
    if form not in _FORMS:
        raise ReportError("unknown form", field="format", allowed=", ".join(_FORMS), got=form)
    return _FORMS[form](report)


def write_all(report: Report, folder: Path) -> None:
    """Write report.json, report.md, rates.csv and report.html into a folder.

    Raises ReportError where one of them cannot be written.
    """
    for name, form in _FILES.items():
        try:
            (folder / name).write_text(rendered(report, form), encoding="utf-8", newline="\n")
        except OSError as error:
            raise ReportError(f"{folder / name}: cannot be written: {error.strerror}") from error
