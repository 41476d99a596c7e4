"""The layouts of FinanceBench's files."""
