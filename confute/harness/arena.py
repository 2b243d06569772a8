"""Contracts turned into arenas: cases split, the victim built, its threshold frozen, and only then the attacker."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import zip_longest
from pathlib import Path

from confute.agents import load as agents
from confute.contract import AttackContract, Attacker, OracleChoice, StrategyName, Victim
from confute.errors import ContractError, ModelError
from confute.harness.campaign import Arena
from confute.harness.dataset import Dataset
from confute.models import load as models
from confute.models.embedder import Embedder
from confute.oracles.facts.oracle import FactsOracle
from confute.oracles.text.oracle import GuardedTextOracle
from confute.records import Case, Knowledge, Label
from confute.victims import calibration
from confute.victims import load as victims
from confute.victims.frozen import FrozenVictim
