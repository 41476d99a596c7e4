"""How far a figure can be trusted: bootstrap intervals, paired comparisons of two runs of the same examples."""
