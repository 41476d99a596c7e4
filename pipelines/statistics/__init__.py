"""Statistics of scores: numbers in, numbers out. Nothing here knows of runs, files or tables."""
