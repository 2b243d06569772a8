"""Attacks on a persona: a probe that it resists stably is framed until it fails stably, and the frames made few."""
