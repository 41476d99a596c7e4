"""All of ∞Bench that no other benchmark needs."""
