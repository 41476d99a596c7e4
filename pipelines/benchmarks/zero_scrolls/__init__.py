"""All of ZeroSCROLLS that no other benchmark needs."""
