"""The metrics that only Graphwalks has."""
