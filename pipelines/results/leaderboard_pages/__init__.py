"""A leaderboard of all systems whose outputs are on a disk, and its pages."""
