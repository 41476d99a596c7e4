"""Repeated runs."""
