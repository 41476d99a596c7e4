"""How far a score can be trusted: bootstrap intervals, and paired comparisons of runs over the same examples."""
