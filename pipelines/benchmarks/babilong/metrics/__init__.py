"""The metrics that only BABILong has."""
