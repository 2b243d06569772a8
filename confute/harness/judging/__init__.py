"""The bench on which judges are measured: validation, stability, red-teaming, and the broken judges it must catch."""
