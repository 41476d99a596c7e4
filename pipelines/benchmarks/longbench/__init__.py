"""All of LongBench that no other benchmark needs."""
