"""The metrics that only LongBench has."""

PRESETS = {
    "f1_first_line": "first_line:f1",
    "rouge_l_longbench_first_line": "first_line:rouge_l_longbench",
    "retrieval_zh_score": "retrieval_score:language=zh",
}
HIDDEN = ("first_line",)
