"""The metrics that only RULER has."""
