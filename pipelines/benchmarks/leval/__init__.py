"""All of L-Eval that no other benchmark needs."""
