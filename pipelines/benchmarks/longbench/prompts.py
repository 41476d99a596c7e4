"""Our own words for LongBench's prompts, with those of its parts that its rows have. Its own are in its repository."""

from pipelines.prompts.chat_words import CHAT as SCROLLS
from pipelines.prompts.chat_words import PAGE, PART, SHORTLY, ChatWords, if_not_stated

QUESTION = "{instruction}\n\n{document}\n\nQuestion: {query}\nAnswer:"
SUMMARY = "{instruction}\n\n{document}\n\nSummary:"
EXAMPLES = "{instruction}\n\n{document}\n\n{query}"

# Each task's template and instruction.
PROMPTS = {
    **dict.fromkeys(
        ("narrativeqa", "qasper", "multifieldqa_en", "hotpotqa", "2wikimqa", "musique"),
        (QUESTION, "Answer in a few words."),
    ),
    "multifieldqa_zh": ("{instruction}\n\n{document}\n\n问题：{query}\n答案：", "用几个词回答问题。"),
    "dureader": ("{instruction}\n\n{document}\n\n问题：{query}\n答案：", "根据下面的资料，用几句话回答问题。"),
    "gov_report": (SUMMARY, "Write a summary of a page."),
    "qmsum": (QUESTION, "Answer in a few sentences."),
    "multi_news": (SUMMARY, "Write a summary of a page."),
    "vcsum": ("{instruction}\n\n{document}\n\n总结：", "用一段话概括这次会议讨论的内容。"),
    "trec": (EXAMPLES, "Name the type of the last question, as in the examples before it."),
    "triviaqa": (EXAMPLES, "Answer the last question in a few words, as in the examples before it."),
    "samsum": (EXAMPLES, "Sum up the last dialogue, as in the examples before it."),
    "lsht": (EXAMPLES, "按照前面的例子，写出最后一条新闻的类别。"),
    "passage_count": (
        "{instruction}\n\n{document}\n\nHow many different paragraphs are there? Give the number alone.\n\nNumber: ",
        "Some of the following paragraphs occur more than once.",
    ),
    "passage_retrieval_en": (
        '{instruction}\n\n{document}\n\nThe summary:\n{query}\n\nWrite "Paragraph" and its number.\n\nAnswer: ',
        "Find the one of these paragraphs that the summary at the end was made from.",
    ),
    "passage_retrieval_zh": (
        "{instruction}\n\n{document}\n\n摘要：\n{query}\n\n写出“段落”和它的编号。\n\n答案：",
        "最后的摘要是根据下面哪一段写的？",
    ),
    "lcc": ("{instruction}\n\n{document}The line after it:\n", "Write the line of code that comes next."),
    "repobench-p": (
        "{instruction}\n\n{document}{query}The line after it:\n",
        "Write the line of code that comes next. Code of other files stands first.",
    ),
}

WIKIPEDIA = "Answer a question from passages of Wikipedia."
LINE = "Write that line alone: no comment, no explanation, no marks around it."
CHAT = {
    "narrativeqa": ChatWords("Answer a question about a book or a film script.", SHORTLY, document="Story"),
    "qasper": ChatWords(
        "Answer a question about a scientific paper.",
        SHORTLY,
        document="Paper",
        absent=if_not_stated("the paper"),
        answers="short",
    ),
    "multifieldqa_en": ChatWords("Answer a question about a text.", SHORTLY, document="Text"),
    "multifieldqa_zh": ChatWords(
        "Answer a question about a Chinese text.", f"{SHORTLY} The answer is in Chinese.", document="Text"
    ),
    "hotpotqa": ChatWords(WIKIPEDIA, SHORTLY, document="Passages"),
    "2wikimqa": ChatWords(WIKIPEDIA, SHORTLY, document="Passages"),
    "musique": ChatWords(WIKIPEDIA, SHORTLY, document="Passages"),
    "dureader": ChatWords(
        "Answer a question from Chinese documents that a search found.",
        "Answer in Chinese, in a few sentences, and write nothing else.",
        document="Documents",
    ),
    "gov_report": SCROLLS["gov_report"],
    "qmsum": SCROLLS["qmsum"],
    "multi_news": ChatWords(
        "Sum up several news articles on one event.",
        "Write one summary of all of them, of about one page, and nothing else.",
        document="Articles",
        part_format=PART,
        length=PAGE,
    ),
    "vcsum": ChatWords(
        "Sum up a Chinese meeting from its transcript.",
        "Write a summary in Chinese, in one paragraph, and nothing else.",
        document="Transcript",
        part_format="Sum up this part in Chinese, in one paragraph, and write nothing else.",
    ),
    "trec": ChatWords(
        "Name the type of a question, as examples do.",
        "Write the one of these types that the last question has, and nothing else:",
        document="Examples",
        query="The last question",
        cue="",
        answers="label",
    ),
    "triviaqa": ChatWords(
        "Answer a question about a passage, as examples do.",
        f"{SHORTLY} It has to be on one line.",
        document="Examples",
        query="The passage and its question",
        cue="",
    ),
    "samsum": ChatWords(
        "Sum up a dialogue, as examples do.",
        "Write the summary of the last dialogue on one line, and nothing else.",
        document="Examples",
        query="The last dialogue",
        cue="",
    ),
    "lsht": ChatWords(
        "Name the class of a piece of Chinese news, as examples do.",
        "Write the one of these classes that the last piece of news has, and nothing else:",
        document="Examples",
        query="The last piece of news",
        cue="",
        answers="label",
    ),
    "passage_count": ChatWords(
        "Count the different ones of many paragraphs, some of which occur more than once.",
        "Write the number of different paragraphs, in digits, and nothing else.",
        document="Paragraphs",
    ),
    "passage_retrieval_en": ChatWords(
        "Find the one of many numbered paragraphs that a summary was made from.",
        'Write the word "Paragraph" and the number of that paragraph, and nothing else.',
        document="Paragraphs",
        query="Summary",
        cue="",
    ),
    "passage_retrieval_zh": ChatWords(
        "Find the one of many numbered Chinese paragraphs that a summary was made from.",
        "Write 段落 and the number of that paragraph, and nothing else.",
        document="Paragraphs",
        query="Summary",
        cue="",
    ),
    "lcc": ChatWords("Write the line of code that comes next in a file.", LINE, document="File"),
    "repobench-p": ChatWords(
        "Write the line of code that comes next in a file, with the code of other files to look things up.",
        LINE,
        document="Code of other files",
        query="The file",
        cue="",
    ),
}
