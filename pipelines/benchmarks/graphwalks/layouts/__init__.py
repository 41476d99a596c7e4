"""The layouts of Graphwalks's files."""
