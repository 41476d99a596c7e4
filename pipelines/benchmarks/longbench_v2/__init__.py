"""All of LongBench v2 that no other benchmark needs."""
