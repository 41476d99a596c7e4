"""Our words for Graphwalks: for examples without a prompt, and for what `longdoc data build graphwalks_like` makes.

The form of the answer is the one that its score asks for.
"""

from pipelines.prompts.row_prompt import RowWording

WORDING = RowWording(
    "Below are the edges of a directed graph, one a line, and a question about it. End with one line of this form, "
    "with the names of the nodes in square brackets, and nothing in these where there are none: Final Answer: [a, b]",
    "Edges:", "Question:", "Answer:", "",
)  # fmt: skip
