"""The layouts of OOLONG's files."""
