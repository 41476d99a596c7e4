"""Statistics of data and of runs: spread of information, lengths, outputs, and where gold evidence is lost."""
