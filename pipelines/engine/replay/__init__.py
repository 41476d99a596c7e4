"""Finished runs once more: their requests, the run itself, their scores."""
