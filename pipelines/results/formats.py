"""The format numbers of the files in folders of runs and ablations, as `format` in them.

A version reads its own format and a few older ones, and refuses newer ones in a line. Who raises a number adds a folder
in the new format to tests/pipelines/runs/formats, where make.py makes it: from then on a test opens it. That test fails
while the present format has none.
"""

# 2: each line of the logs has a checksum, each reply the names that its server gave itself
# 3: predictions have `truncated_tokens` and `shown_spans` (were `cut`, `seen`), scores.json has `truncated` (was `cut`)
# 4: metrics and limit stand beside the spec, and each start has its versions in `starts`
# 5: run.json and scores.json end with a checksum, scores.json has the SHA-256 of the files beside it
FORMAT = 5
CHECKED = range(5, FORMAT + 1)  # formats whose run.json and scores.json end with a checksum
WITH_STARTS = 4  # the first format that has each start by itself
UPGRADED = 3  # the oldest format that is read as the present one

ABLATION_FORMAT = 4  # 2: `metric` is `primary_metric`; 3: it ends with a checksum; 4: cells may be conditions
ABLATION_CHECKED = range(3, ABLATION_FORMAT + 1)
OLDEST_ABLATION = 2  # that is read
