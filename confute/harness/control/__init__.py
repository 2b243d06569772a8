"""Control groups for detectors: what a detector does where the answer is known."""
