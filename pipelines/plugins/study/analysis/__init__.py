"""What a task's data and a run's outputs are like."""
