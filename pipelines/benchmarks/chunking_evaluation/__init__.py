"""All of the chunking evaluation that no other benchmark needs."""
