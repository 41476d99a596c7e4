"""Readers that are networks of `transformers`."""
