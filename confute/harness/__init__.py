"""Runs: campaigns, ledgers, statistics and reports."""
