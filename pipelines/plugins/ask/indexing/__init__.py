"""Documents of one's own, read, split and indexed for questions."""
