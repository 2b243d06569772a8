"""A claim about a payment, and what the tests of searching and of shrinking make of it."""

from confute.agents.agent import View
from confute.edits import unedited
from confute.records import AttackGoal, Case, Edit, Knowledge, Label, Mechanism, Replacement
from confute.victims.frozen import freeze


def paid(claim, evidence):
    return Case(
        case_id="c", claim=claim, evidence=(evidence,), label=Label.SUPPORTED, domain="d", source="s", group="g"
    )


def edit(start, end, text, mechanism=Mechanism.QUANTITY):
    return Edit(
        mechanism=mechanism,
        slot=f"{start}",
        replacements=(Replacement(start=start, end=end, text=text),),
        expected_label=Label.REFUTED,
    )


def view_of(case, *, moves=(), queries, knowledge=Knowledge.SCORE):
    return View(
        goal=AttackGoal.FALSE_ACCEPTANCE,
        knowledge=knowledge,
        start=unedited(case, AttackGoal.FALSE_ACCEPTANCE),
        moves=moves,
        victim_queries=queries,
        max_edits=3,
        seed=0,
    )


def frozen(victim, detector, case):
    return freeze(victim, detector, None, (), (case,))
