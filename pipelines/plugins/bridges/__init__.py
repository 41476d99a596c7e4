"""longdoc inside other evaluation harnesses: lm-evaluation-harness, inspect_ai. Each needs its own extra."""
