"""The metrics that only MuLD has."""
