"""Curves of runs and of files of predictions: their lengths, their places of evidence, their scores by bin."""
