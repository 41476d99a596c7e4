"""All of LongBench Pro that no other benchmark needs."""
