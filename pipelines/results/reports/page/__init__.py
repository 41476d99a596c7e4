"""The parts of the HTML report: its data, and what its sections show; the markup is in `templates/`."""
