"""The metrics that only ZeroSCROLLS has."""
