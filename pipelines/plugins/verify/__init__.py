"""Verify that a run's numbers follow from its logs and its data: `longdoc runs verify`."""
