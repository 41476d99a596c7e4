"""The questions to a judge: whether an answer is right, where the document has one and where it has none."""

ANSWER = """You grade answers to questions about a document, which you do not see.

Question: {question}

Reference answer: {reference}

Answer to be graded: {prediction}

Does the answer to be graded say what the reference answer says? Other words and further details do not matter; a \
missing or different fact, name or number does. Reply with one word: yes or no."""
ABSENT = """You grade answers to questions about a document, which you do not see. The document does not contain what \
the question below asks for. An answer is right if it says so, and wrong if it answers the question all the same.

Question: {question}

Reference answer: {reference}

Answer to be graded: {prediction}

Is the answer to be graded right? Reply with one word: yes or no."""
