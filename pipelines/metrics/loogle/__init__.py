"""The metrics of LooGLE that no other benchmark has (Li et al. 2024)."""
