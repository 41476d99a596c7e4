"""What is written while a run is being made: its folder, the log of requests, the journal."""
