"""The metrics of L-Eval that no other benchmark has (An et al. 2024), from a description of their rules."""
