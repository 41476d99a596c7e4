"""What recipes of training have in common: jobs, batches, folders, model cards."""
