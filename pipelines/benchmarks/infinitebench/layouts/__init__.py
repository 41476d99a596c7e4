"""The layouts of ∞Bench's files."""
