"""Runs of several tasks side by side: tasks and systems, the benchmark's mean, the papers' figures."""
