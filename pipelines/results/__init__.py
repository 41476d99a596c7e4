"""Finished runs, read without an engine: records, run folders, comparisons, analysis, leaderboards, reports."""
