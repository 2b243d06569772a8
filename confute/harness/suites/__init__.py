"""Suites of cases, each for one use: known failures, held-out generalisation, and exploration of new mechanisms."""
