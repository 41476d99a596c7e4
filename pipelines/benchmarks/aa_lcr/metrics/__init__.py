"""The metrics that only AA-LCR has."""
