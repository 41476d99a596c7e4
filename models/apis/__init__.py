"""Readers that call a model over HTTP."""
