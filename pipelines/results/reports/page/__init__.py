"""The parts of the HTML report: its data, its sections, and under `assets/` its template, styles and scripts."""
