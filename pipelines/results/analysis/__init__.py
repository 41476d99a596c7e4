"""What data are like and what models said: spread of information, lengths, evidence out of reach, outputs."""
