"""A degradation curve as one HTML file that needs nothing else."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup, escape

from confute.errors import ReportError
from confute.harness.degradation import Degradation
from confute.harness.render import degradation_words as told
from confute.harness.render import words
from confute.harness.render.degradation_chart import chart, histogram
from confute.harness.render.degradation_markdown import degradation_markdown
from confute.harness.render.plot import framed

_KEPT_TOGETHER = re.compile(r"\[[^\]]*\]|(?:\d+/\d+ )?\d+ %")
_FORMS = {"json": Degradation.to_json, "md": degradation_markdown}


def degradation_html(result: Degradation) -> str:
    """Return the result as an HTML page: no outside resource, no script, every text escaped and made visible."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"visible": words.visible, "unparted": _unparted}
    source = resources.files("confute.harness.render").joinpath("degradation.html.j2").read_text(encoding="utf-8")
    return environment.from_string(source).render(
        result=result,
        frame=framed((), str, ()),
        lines=list(told.lines(result)),
        curves=[
            (one, chart(one), histogram(one), told.curve_table(one, result.pool), list(told.curve_lines(one)))
            for one in result.curves
        ],
        ablation=told.ablation_table(result) if result.ablations else None,
    )


def _unparted(text: str) -> Markup:
    """Return the text of a cell, escaped, so that no line ends inside brackets or between a number and its unit."""
    return Markup(_KEPT_TOGETHER.sub(r'<span class="whole">\g<0></span>', str(escape(text))))  # noqa: S704  escaped


def written(result: Degradation, form: str) -> str:
    """Return the result as text in one of the forms json, md and html."""
    return degradation_html(result) if form == "html" else _FORMS[form](result)


def write_degradation(result: Degradation, folder: Path) -> None:
    """Write curve.json, curve.md and curve.html into a folder that is made where it is not there.

    Raises ReportError where that cannot be.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for form in ("json", "md", "html"):
            (folder / f"curve.{form}").write_text(written(result, form), encoding="utf-8", newline="\n")
    except OSError as error:
        raise ReportError(f"{folder}: cannot be written: {error.strerror}") from error
