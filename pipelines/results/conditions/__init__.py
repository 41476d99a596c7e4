"""The ways to read long documents side by side: whole, by retrieval at several budgets, closed book, with gold."""
