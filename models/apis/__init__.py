"""Readers behind an API."""
