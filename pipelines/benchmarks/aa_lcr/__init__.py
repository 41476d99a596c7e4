"""All of AA-LCR that no other benchmark needs."""
