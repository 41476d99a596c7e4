"""Scores by example out of files: logs of other harnesses, tables, finished runs; one file a format, all read alike."""
