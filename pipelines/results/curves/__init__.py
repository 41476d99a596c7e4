"""Curves: the scores of systems over the length of documents, or over the place of the evidence."""
