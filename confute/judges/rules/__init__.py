"""Judges by rules: the fall-back where no model is at hand; they abstain where their rules do not decide."""
