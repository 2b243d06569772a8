"""Metamorphic relations: what a change of a claim or its evidence must do to a sound detector's risk."""
