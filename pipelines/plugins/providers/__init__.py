"""Readers behind other APIs than OpenAI's."""
