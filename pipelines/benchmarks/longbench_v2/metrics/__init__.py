"""The metrics that only LongBench v2 has."""

PRESETS = {"longbench_v2_compensated": "longbench_v2:compensated=true"}
HIDDEN = ()
