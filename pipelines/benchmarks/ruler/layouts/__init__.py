"""The layouts of RULER's files."""
