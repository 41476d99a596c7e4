"""Documents prepared in other processes: what goes there, what such a process does, and what comes back."""
