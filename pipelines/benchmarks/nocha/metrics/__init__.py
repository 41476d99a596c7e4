"""The metrics that only NoCha has."""
