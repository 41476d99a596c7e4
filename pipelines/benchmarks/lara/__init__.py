"""All of LaRA that no other benchmark needs."""
