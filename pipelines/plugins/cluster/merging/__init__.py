"""Joining the shards of a run into the run that they make up together."""
