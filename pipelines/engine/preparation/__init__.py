"""Documents split, indexed and selected from, here or in other processes."""
