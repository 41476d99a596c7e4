"""What is known of LaRA's files. They are in its repository (github.com/Alibaba-NLP/LaRA), not on the hub: `data=`.

2,326 questions in all (its paper's abstract), in a file for each length (32k, 128k), type of document (book, financial,
paper) and level of question.
"""

from pipelines.sources import DatasetInfo

DATASET = DatasetInfo(repository="", files={}, layout="lara", counts={})
LEVELS = ("location", "reasoning", "comp", "hallu")
ROWS = {  # by length and type, in the order of LEVELS, of the repository's files (commit c171553)
    ("32k", "book"): (75, 59, 45, 59),
    ("32k", "financial"): (148, 118, 87, 118),
    ("32k", "paper"): (53, 53, 19, 53),
    ("128k", "book"): (None, 168, 73, 167),  # None: not counted
    ("128k", "financial"): (108, 77, 33, 77),
    ("128k", "paper"): (129, 131, 92, 134),
}
COUNTS = {
    (*kind, level): count
    for kind, counts in ROWS.items()
    for level, count in zip(LEVELS, counts, strict=True)
    if count is not None
}
