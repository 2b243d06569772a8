"""What is true: facts, closures, guards and the labels they recompute."""
