"""Rules that decide between a retrieved answer and the whole document: fitted, cross-validated, compared."""
