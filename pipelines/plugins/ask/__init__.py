"""Questions to one's own documents."""
