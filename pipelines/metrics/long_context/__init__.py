"""The scores of benchmarks that test long contexts by tracing, counting and repeating: RULER, BABILong and others."""
