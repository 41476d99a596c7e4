"""The layouts of LongBench's files."""
