"""The metrics that only FinanceBench has."""
