"""Studies of finished runs and of other programs' logs: curves, power, agreement, submissions."""
