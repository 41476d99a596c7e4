"""Documents are split and indexed, and chunks selected for each example, here or in other processes."""
