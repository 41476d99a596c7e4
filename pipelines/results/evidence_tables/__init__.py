"""How much gold evidence is selected: tables over tasks, chunkers, retrievers and budgets."""
