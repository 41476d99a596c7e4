"""What neural readers have in common: batches, windows, networks, decoding."""
