"""What strategies have in common: prompts, labels, lines, authors."""
