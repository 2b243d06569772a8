"""Agreement in Italian."""
