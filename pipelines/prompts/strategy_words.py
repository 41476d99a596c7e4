"""The words that strategies add to a prompt."""

from collections.abc import Mapping

# authors: below the numbered paragraphs
AUTHORS = (
    "\n\nThe numbered paragraphs above are from one document that one to {most} authors wrote. Authors are numbered in "
    "the order in which they first occur; whoever writes in the same style is the same author.{known} "
    "For each paragraph from {first} to {last} write one line: the number of the paragraph, a colon, and the number of "
    "its author. Write nothing else."
)
KNOWN_AUTHORS = " The authors of some paragraphs are given, and of each author so far a quotation."

# chain_of_thought: the second prompt, with the reasoning in place of the document
CONCLUSION = "{query}\n{options}\n\n{document}\n\nSo the answer is:"

# label: before the labels
LABELS = "\n\nWrite one of these labels and nothing else:\n"

# map_count: below each part, by how the counts of the parts become one
PART_COUNTS: Mapping[str, str] = {
    "sum": "The text above is one part of the document. Answer for this part alone, with the number of what is asked "
    "for, and nothing else: 0 if there is none.",
    "distinct": "The text above is one part of the document. Name what is asked for in this part, each on a line of "
    'its own, in the words of the text, and write nothing else: the word "none" if there is nothing.',
    "first": "The text above is one part of the document. Answer for this part alone, with the one that comes first in "
    'it and nothing else: the word "none" if it has none of them.',
}

# numbered_lines: below the lines
NUMBERED_LINES = (
    "\n\nEvery line above has a number. For each of them write one line: the same number, a colon, and the line's "
    "translation. Leave out no line, join none, and write nothing else."
)

# refine: before each further part
ANSWER_SO_FAR = "Answer so far: {answer}\n"
