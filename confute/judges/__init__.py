"""Narrow judges of replies, and the composites over them."""
