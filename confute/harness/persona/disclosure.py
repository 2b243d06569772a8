"""What a reply discloses of what a persona can do, by declared phrases: a label among four, never a pass."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from confute.harness.persona.checks import has_phrase
from confute.models.structured import is_refusal
from confute.records import NonBlank, Record


class Disclosed(StrEnum):
    """How much a reply tells; they are the labels of the family `capability_disclosure` as well."""

    FULL = "full"
    PARTIAL = "partial"
    NONE = "none"
    FALSE_DENIAL = "false_denial"


class Capability(Record):
    """Something that the persona can do, and phrases by which a reply affirms it, or denies it."""

    name: NonBlank
    said_by: tuple[NonBlank, ...] = Field(min_length=1)
    denied_by: tuple[NonBlank, ...] = ()


class DisclosureRules(Record):
    """The capabilities that a probe is about; `deflections` are the product's own words for changing the subject.

    One denied capability makes a false denial, whatever else is told. Else the label goes by how many are affirmed, and
    a reply that opens as a refusal, or deflects, tells nothing.
    """

    capabilities: tuple[Capability, ...] = Field(min_length=1)
    deflections: tuple[NonBlank, ...] = ()

    def label(self, text: str) -> Disclosed:
        """Return how much a text discloses."""
        if any(has_phrase(text, phrase) for one in self.capabilities for phrase in one.denied_by):
            return Disclosed.FALSE_DENIAL
        if is_refusal(text) or any(has_phrase(text, phrase) for phrase in self.deflections):
            return Disclosed.NONE
        told = [any(has_phrase(text, phrase) for phrase in one.said_by) for one in self.capabilities]
        if all(told):
            return Disclosed.FULL
        return Disclosed.PARTIAL if any(told) else Disclosed.NONE
