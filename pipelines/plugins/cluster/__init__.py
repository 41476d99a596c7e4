"""Ray as an engine, and merging of shards."""
