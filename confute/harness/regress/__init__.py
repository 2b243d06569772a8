"""Known failures replayed: whether what they demand of a detector holds by now."""
