"""The layouts of NoCha's files."""
