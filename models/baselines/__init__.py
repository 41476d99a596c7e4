"""Readers without weights: the baselines that a model has to beat."""
