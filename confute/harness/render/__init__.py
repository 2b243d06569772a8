"""The forms in which a report is shown."""
