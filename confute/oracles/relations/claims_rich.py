"""What the rows share whose claims say more than one fact, or whose passages tell more than the document does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from random import Random

from confute.oracles.facts import dates
from confute.oracles.facts.fact import Fact, Quantity
from confute.oracles.facts.lexicon import Lexicon
from confute.oracles.facts.parse import Reading
from confute.oracles.facts.render import Sentence
from confute.oracles.relations.claim_edits import is_plain, read, style_of
from confute.oracles.relations.relation import Expected, Instance, Said, Scene, Situation
from confute.oracles.relations.saying import evidence, ways
from confute.oracles.relations.statement import Statement
from confute.oracles.relations.truth import label
from confute.records import Label

_DATES_IN_WORDS = frozenset({"year", "month", "day_first"})


def supported(scene: Scene) -> Reading | None:
    """Return what a supported claim says, where that is a plain fact, and how; None for any other claim."""
    reading = read(scene)
    return reading if reading is not None and scene.label is Label.SUPPORTED and is_plain(reading.fact) else None


def label_in(scene: Scene, statement: Statement) -> Label:
    """Return what a scene's own passages say of a statement."""
    return label(statement, scene.document.facts, scene.lexicon)


def passages(statements: Sequence[Statement], lexicon: Lexicon) -> tuple[Said, ...]:
    """Return a passage for each statement, in the words of evidence; those that evidence cannot say are left out."""
    told = ((statement, evidence(statement, lexicon)) for statement in statements)
    return tuple(Said(text=text, says=(statement,)) for statement, text in told if text is not None)


def pair(before: Statement, after: Statement, lexicon: Lexicon, random: Random) -> tuple[str, str] | None:
    """Return two statements of one kind in one form, their facts in like words; None where none fits both."""
    seed = random.random()
    one, other = (ways(statement, lexicon, Random(seed)) for statement in (before, after))  # noqa: S311  no secret
    found = list(zip(one, other, strict=False))
    return random.choice(found) if found else None


def instances(
    scene: Scene, told: Sequence[Statement], claims: tuple[str | None, str | None] | None, rises: Label | None = None
) -> Iterator[Instance]:
    """Yield the instance of a claim before and after, against the scene's passages and what is told beside them.

    The claim stays supported, or, where `rises` is given, gets that label. Nothing where a claim has no words.
    """
    before, after = claims or (None, None)
    if before is None or after is None or before == after:
        return
    beside = (*scene.situation.passages, *passages(told, scene.lexicon))
    first, second = (Situation(claim=claim, passages=beside) for claim in (before, after))
    expected = Expected.INVARIANT if rises is None else Expected.RISES
    yield Instance(before=first, after=second, expected=expected, label=rises or Label.SUPPORTED)


def worded_alike(reading: Reading, fact: Fact, lexicon: Lexicon) -> Sentence | None:
    """Return a fact that differs in value or date alone in the template, verb and formats of a reading.

    None where its value is not written in that format, and where the date is written in one of days alone.
    """
    texts = dict(reading.sentence.texts)
    if reading.fact.value is not None and fact.value is not None:
        style = style_of(lexicon.units.writings(reading.fact.value), texts["value"])
        written = lexicon.units.writings(fact.value).get(style)
        if written is None:
            return None
        texts["value"] = written
    if reading.fact.date is not None and fact.date not in (None, reading.fact.date):
        if style_of(dates.writings(reading.fact.date), texts["date"]) not in _DATES_IN_WORDS:
            return None
        texts["date"] = next(iter(dates.writings(fact.date).values()))
    return reading.sentence._replace(texts=texts)


def scaled(scene: Scene, quantity: Quantity, shares: Sequence[str], random: Random) -> Quantity | None:
    """Return a random one of the shares of a quantity, rounded to two digits; None where all are parts of whole things.

    Shares of what is counted are whole.
    """
    found = [_rounded(quantity, share) for share in shares]
    fit = [value for value in found if scene.lexicon.units.converted(value, value.unit) is not None]
    return random.choice(fit) if fit else None


def _rounded(quantity: Quantity, share: str) -> Quantity:
    number = quantity.number * Decimal(share)
    step = Decimal(1).scaleb(number.adjusted() - 1)
    rounded = (number / step).to_integral_value() * step
    return Quantity(number=Decimal(f"{rounded:f}"), unit=quantity.unit)
