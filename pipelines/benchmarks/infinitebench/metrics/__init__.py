"""The metrics that only ∞Bench has."""
