"""Whether a run's folder says what its logs and its data say: `longdoc runs verify`."""
