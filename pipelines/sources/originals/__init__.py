"""The original releases that the benchmarks were made from."""
