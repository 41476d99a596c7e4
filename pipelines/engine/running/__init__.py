"""Runs being made: one run, several over the same documents, several tasks."""
