"""What claims and passages say: a fact, or something said of facts."""

from __future__ import annotations

from typing import TypeAlias

from confute.oracles.facts.fact import Fact

Statement: TypeAlias = Fact
