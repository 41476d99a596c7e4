"""The layouts of MRCR's files."""
