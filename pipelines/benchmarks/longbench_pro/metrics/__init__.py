"""The metrics that only LongBench Pro has."""
