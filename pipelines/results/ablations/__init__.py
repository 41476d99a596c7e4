"""Ablations that are finished: their records, and their folders read again."""
