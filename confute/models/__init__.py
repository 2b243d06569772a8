"""Embedders and their cache."""
