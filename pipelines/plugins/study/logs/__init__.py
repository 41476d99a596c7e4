"""Reads scores by example out of logs of other harnesses, tables and finished runs: one module for each format."""
