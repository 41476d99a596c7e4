"""Many runs of one task that differ in what is asked to: planned, shown, run together, compared with a baseline."""
