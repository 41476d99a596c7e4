"""Submissions to leaderboards, benchmark averages, published scores."""
