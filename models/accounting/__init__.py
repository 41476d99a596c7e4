"""What requests used, and what it costs."""
