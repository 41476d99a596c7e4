"""All of NoCha that no other benchmark needs."""
