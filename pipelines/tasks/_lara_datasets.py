"""What is known of LaRA's files. They are in its repository (github.com/Alibaba-NLP/LaRA), not on the hub: `data=`.

2,326 questions in all (its paper's abstract), in a file for each length (32k, 128k), type of document (book, financial,
paper) and level of question.
"""

from pipelines.sources import DatasetInfo

DATASET = DatasetInfo(repository="", files={}, layout="lara", counts={})
COUNTS = {  # rows, by (length, type, level), of the files that were counted
    ("32k", "financial", "location"): 68,
    ("32k", "financial", "reasoning"): 56,
    ("32k", "financial", "comp"): 41,
    ("32k", "financial", "hallu"): 54,
}
