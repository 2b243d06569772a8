"""Frames around what a persona is asked: where they come from, and whether a framed probe still asks the same."""
