"""The layouts of LongBench Pro's files."""
