"""The layouts of LongBench v2's files."""
