"""Estimates of a run before it is made: counts of requests, first prompts, stand-ins for replies, a pilot."""
