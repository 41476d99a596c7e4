"""The layouts of L-Eval's files."""
