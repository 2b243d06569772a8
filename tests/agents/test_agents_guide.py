"""The agent in the guide works as it stands."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from playing_field import make_view, number_grid, play, scored

GUIDE = Path(__file__).parents[2] / "docs" / "agents.md"


def test_the_agent_in_the_guide_tries_every_move_and_stays_in_the_best_slot() -> None:
    (source,) = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), flags=re.DOTALL)
    names: dict[str, Any] = {}
    exec(source, names)
    claim, moves = number_grid()
    batches = play(names["SmallestStep"](), make_view(claim, moves), scored(lambda one: -len(one.edits)))
    assert [len(batch) for batch in batches] == [1] * len(moves)
    slots = [batch[0].candidate.edits[0].slot for batch in batches]
    assert len(set(slots[:5])) == 1
