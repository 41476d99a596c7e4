"""The metrics that only OOLONG has."""
