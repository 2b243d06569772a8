"""Prompt templates, rendered as data and fingerprinted."""
