"""The layouts of ZeroSCROLLS's files."""
