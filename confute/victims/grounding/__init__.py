"""The grounding check: numbers in prose against a pool of known values with units."""

from confute.victims.grounding.check import Grounding, check
from confute.victims.grounding.detector import GroundingCheck
from confute.victims.grounding.pool import Known

__all__ = ["Grounding", "GroundingCheck", "Known", "check"]
