"""The layouts of MuLD's files."""
