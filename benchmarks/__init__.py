"""Speed and quality compared with other programs, one script per question; RESULTS.md has their output."""
