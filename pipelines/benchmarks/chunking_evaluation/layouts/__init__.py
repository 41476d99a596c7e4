"""The layouts of the chunking evaluation's files."""
