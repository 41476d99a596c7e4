"""The layouts of BABILong's files."""
