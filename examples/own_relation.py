"""A relation of your own, one function: `confute relations --relations own_relation:headed --rows headed`.

It gets a scene (a labelled claim, its document, the documents of other sources) and a generator to draw from, and
yields instances: the case before and after the change, what must follow, and the label after. The oracle recomputes
both labels and skips, with a reason, what is not as you declare.
"""

from collections.abc import Iterator
from random import Random

from confute.oracles.relations.relation import Expected, Instance, Said, Scene


def headed(scene: Scene, random: Random) -> Iterator[Instance]:
    """Put a heading that says nothing before the evidence."""
    heading = Said(text=random.choice(("From our archive", "Notes of the day")), says=())
    before = scene.situation
    after = before.model_copy(update={"passages": (heading, *before.passages)})
    yield Instance(before=before, after=after, expected=Expected.INVARIANT, label=scene.label)
