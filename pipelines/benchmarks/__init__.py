"""A folder for each benchmark, with all that is only its own: tasks, files, prompts, metrics, published scores."""
