"""All of BABILong that no other benchmark needs."""
