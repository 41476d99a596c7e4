"""The metrics that only the chunking evaluation has."""
