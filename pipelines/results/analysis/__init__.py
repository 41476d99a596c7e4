"""Statistics of data and of outputs: spread of information, lengths, evidence out of reach, outputs."""
