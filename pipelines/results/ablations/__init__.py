"""Finished ablations: their records, and reading them back from their folders."""
