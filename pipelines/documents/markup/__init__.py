"""What formats of marked-up text share: how a page, its tables, formulas and raised words become plain text."""
