"""Personas under repeated probes: what they say, how far they disagree with themselves, and who is to blame."""
