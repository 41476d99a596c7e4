"""Runs while they are made: one, several over the same documents, several tasks."""
