"""A leaderboard of everything on a disk: files of predictions that are recognized, and runs."""
