"""The layouts of LiteraryQA's files."""
