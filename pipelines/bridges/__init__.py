"""longdoc inside other evaluation harnesses: lm-evaluation-harness, MTEB, inspect_ai. Each needs its own extra."""
