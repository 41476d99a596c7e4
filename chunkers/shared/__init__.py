"""What chunkers have in common: words, sentences, headings, turns, and how they are packed."""
