"""What a shell offers when the tab key is pressed."""
