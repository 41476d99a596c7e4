"""The metrics of LongBench and LongBench v2 that no other benchmark has (Bai et al. 2024, 2025)."""
