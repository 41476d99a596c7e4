"""Where the prompts of tasks come from: files that the user has, rows that hold them, words of our own."""
