"""Scores of predictions that are there already: metrics, agreement of references."""
