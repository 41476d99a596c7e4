"""Rows that are made of nothing: needles, graphs, conversations and lines to be counted, in words of our own."""
