"""All of SCROLLS that no other benchmark needs."""
