"""All of RULER that no other benchmark needs."""
