"""Many runs of one task with different arguments: planned, shown, run together, compared with a baseline."""
