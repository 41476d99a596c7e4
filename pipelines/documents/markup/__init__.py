"""Converts pages, tables, formulas and raised words of marked-up text to plain text."""
