"""Readers that scikit-learn trains."""
