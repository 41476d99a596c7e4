"""The folders of runs: listed, inspected, as data frames."""
