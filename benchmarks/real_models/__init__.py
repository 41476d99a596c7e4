"""Real models: what they answer by each way to read a document, with their outputs kept."""
