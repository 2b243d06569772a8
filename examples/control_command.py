"""A detector as a command: `confute control --detector "python control_command.py"` from this folder.

A pair as a JSON object a line comes in, `{"claim": ..., "evidence": [...]}`; a score a line goes out.
"""

from __future__ import annotations

import json
import sys

from confute.records import Pair
from confute.victims.grounding import GroundingCheck

for line in sys.stdin:
    [risk] = GroundingCheck().score([Pair.model_validate_json(line)])
    print(json.dumps({"score": risk}))
