"""The files that are written while a run is made: its folder, the log of requests, the journal."""
