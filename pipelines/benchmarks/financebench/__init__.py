"""All of FinanceBench that no other benchmark needs."""
