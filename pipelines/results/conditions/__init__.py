"""Conditions side by side: whole documents, retrieval at several budgets, closed book, gold evidence."""
