"""What an attack on a persona is made on: the persona and its probes, read as the contract names them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import Field

from confute.errors import PersonaError
from confute.harness.authorization import check_authorized
from confute.harness.persona.checks import Phrases
from confute.harness.persona.load import persona_file, refuse_repeated
from confute.harness.persona.probes import CheckedProbe, DisclosureProbe, JudgedProbe, refuse_wrong_checks
from confute.oracles.probe.probe import FramedProbe
from confute.oracles.probe.wording import depends_on_wording
from confute.persona_plan import CHECKS, RULES, PersonaContract
from confute.records import Record, digest_of
from confute.victims.persona import Persona
from confute.yaml_records import read_record

AttackedProbe = CheckedProbe | JudgedProbe
_READ_WORDS = frozenset({"language", "italian_agreement", "refuses", "tool_backed", "pattern"})


class _ProbeFile(Record):
    probes: tuple[
        Annotated[CheckedProbe | DisclosureProbe | JudgedProbe, Field(discriminator="kind")],
        ...,
    ] = Field(min_length=1)


class Target(NamedTuple):
    """The persona, the probes that it is attacked on, and texts whose names an invented one must differ from.

    `known_texts` are the contract's names and all that stands in the files of persona and probes, with checks, samples
    and the probes that are not attacked. `rules_judge` says that rule judges read the replies, which know English words
    alone.
    """

    persona: Persona
    probes: tuple[AttackedProbe, ...]
    known_texts: tuple[str, ...]
    rules_judge: bool = False

    @property
    def digest(self) -> str:
        """SHA-256, in hex, over the persona and the probes."""
        probes = [probe.model_dump(mode="json") for probe in self.probes]
        return digest_of([self.persona.digest, probes, list(self.known_texts)])

    def framed(self, probe: AttackedProbe) -> FramedProbe:
        """Return a probe as the oracle of frames sees it."""
        return FramedProbe(
            id=probe.id,
            language=probe.language,
            turns=probe.turns,
            falsehood=probe.falsehood if isinstance(probe, JudgedProbe) else "",
            known_texts=self.known_texts,
            judges_language=self.rules_judge or (isinstance(probe, CheckedProbe) and _reads_words(probe)),
            depends_on_wording=probe.depends_on_wording or depends_on_wording(probe.turns[-1]),
        )


def load_target(contract: PersonaContract, folder: Path) -> Target:
    """Read the persona and the probes of a contract that stands in a folder; nothing is asked.

    With the judge `checks` the probes that have one are attacked, else those of the kind `judged`. Raises PersonaError
    where a file is unreadable or no probe fits, and ContractError for a remote endpoint without its owner's word.
    """
    path = folder / contract.victim.persona
    file = persona_file(path)
    for role, spec in (("persona", file.model), ("attacker", contract.attacker.model)):
        if spec is not None:
            check_authorized(contract, spec, role=role)
    named = contract.victim.probes
    files = [folder / name for name in named] if named else [path.parent / name for name in file.probes]
    found = [probe for one in files for probe in read_record(one, _ProbeFile, PersonaError).probes]
    refuse_repeated([probe.id for probe in found], path)
    wanted = CheckedProbe if contract.objective.judge == CHECKS else JudgedProbe
    probes = tuple(probe for probe in found if isinstance(probe, wanted))[: contract.evaluation.max_cases]
    if not probes:
        allowed = "fact or rule, which have a check" if wanted is CheckedProbe else "judged, for a family of judges"
        raise PersonaError("holds no probe that can be attacked", field=", ".join(map(str, files)), allowed=allowed)
    refuse_wrong_checks(tuple(probe for probe in probes if isinstance(probe, CheckedProbe)), file.gender)
    rules_judge = contract.objective.judge == RULES
    files_say = _texts([file.model_dump(mode="json"), *(probe.model_dump(mode="json") for probe in found)])
    known = dict.fromkeys((*contract.victim.known_names, *files_say))
    return Target(file.persona, probes, tuple(known), rules_judge)


def _texts(value: object) -> Iterator[str]:
    """Yield every text in a value of JSON, however deep, the keys of its objects included."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            waiting += [*one, *one.values()]
        elif isinstance(one, list):
            waiting += one


def _reads_words(probe: CheckedProbe) -> bool:
    """Whether a check looks for words of one language, so that a reply in another would be told wrongly."""
    check = probe.check
    return check.check in _READ_WORDS or (isinstance(check, Phrases) and bool(check.any_of or check.all_of))
