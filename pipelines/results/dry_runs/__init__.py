"""What a dry run counts, and its tables."""
