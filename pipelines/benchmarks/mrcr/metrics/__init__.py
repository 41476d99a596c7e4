"""The metrics that only MRCR has."""
