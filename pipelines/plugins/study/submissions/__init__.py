"""Submissions to benchmarks."""
