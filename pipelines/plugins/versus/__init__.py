"""The whole document, retrieval at several budgets, closed book and the oracle: asked, and compared."""
