"""How many examples a comparison needs."""
