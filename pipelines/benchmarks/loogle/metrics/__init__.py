"""The metrics that only LooGLE has."""
