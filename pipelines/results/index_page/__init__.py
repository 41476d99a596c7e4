"""The page of all runs, ablations, evidence tables and trained models below some folders, kept up to date."""
