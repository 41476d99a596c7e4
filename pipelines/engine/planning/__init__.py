"""A run before it starts: its options, the plan made of them, the spec that identifies it."""
