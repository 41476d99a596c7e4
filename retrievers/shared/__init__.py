"""What several retrievers share: counts of words, rankings, titles, features; no retriever is here."""
