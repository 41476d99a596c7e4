"""Builders that belong to no single benchmark."""
