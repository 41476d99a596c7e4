"""All of OOLONG that no other benchmark needs."""
