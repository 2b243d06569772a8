"""What to do with a risk: accept, review or reject; chosen on calibration cases, and measured on the others."""
