"""Files as the benchmarks publish them."""
