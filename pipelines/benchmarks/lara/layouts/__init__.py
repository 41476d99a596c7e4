"""The layouts of LaRA's files."""
