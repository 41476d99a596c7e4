"""All of MuLD that no other benchmark needs."""
