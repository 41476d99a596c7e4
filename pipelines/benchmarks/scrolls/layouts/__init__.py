"""The layouts of SCROLLS's files."""
