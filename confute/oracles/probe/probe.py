"""A probe as an attack sees it: the question that must stay, and what a frame may and may not name."""

from __future__ import annotations

from pydantic import Field

from confute.records import AttackGoal, Candidate, Edit, NonBlank, Record, Replacement


class FramedProbe(Record):
    """What a persona is asked, of which the last turn is the `core` that every edit keeps letter by letter.

    `falsehood` is what the probe declares to be false, empty for nothing. `known_texts` hold every name that an
    invented one must differ from. `judges_language` says that a reply in another language might be judged wrongly,
    `depends_on_wording` that what is right depends on the question's own words or on where it stands.
    """

    id: NonBlank
    language: str
    turns: tuple[NonBlank, ...] = Field(min_length=1)
    falsehood: str = ""
    known_texts: tuple[str, ...] = ()
    judges_language: bool = False
    depends_on_wording: bool = False

    @property
    def core(self) -> str:
        """The question that must stay."""
        return self.turns[-1]

    @property
    def start(self) -> Candidate:
        """The probe as the candidate that no edit was made of: its last turn, and the turns before it."""
        return Candidate(
            case_id=self.id,
            goal=AttackGoal.FALSE_ACCEPTANCE,
            edits=(),
            claim=self.core,
            evidence=self.turns[:-1],
        )


def turns_of(candidate: Candidate) -> tuple[str, ...]:
    """Return the turns of a candidate of a probe, in the order in which they are said."""
    return (*candidate.evidence, candidate.claim)


def frame_parts(probe: FramedProbe, candidate: Candidate) -> tuple[str, str] | None:
    """Return what stands before and behind the core in the last turn; None where the core does not stand in it once."""
    before, core, behind = candidate.claim.partition(probe.core)
    return (before, behind) if core and probe.core not in behind else None


def as_frames(probe: FramedProbe, candidate: Candidate, edit: Edit) -> tuple[Edit, ...] | None:
    """Return a rewritten last turn as what it puts before the core and behind it, each an edit of its own.

    None where the core does not stand in it once.
    """
    parts = frame_parts(probe, candidate)
    if parts is None:
        return None
    places = (("before", 0, parts[0]), ("behind", len(probe.core), parts[1]))
    return tuple(
        edit.model_copy(update={"slot": f"free, {slot}", "replacements": (_inserted(at, text),)})
        for slot, at, text in places
        if text
    )


def _inserted(at: int, text: str) -> Replacement:
    return Replacement(start=at, end=at, text=text)
