"""The layouts of AA-LCR's files."""
