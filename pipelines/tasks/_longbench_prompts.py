"""Our own words for LongBench's prompts, with those of its parts that its rows have. Its own are in its repository."""

QUESTION = "{instruction}\n\n{document}\n\nQuestion: {query}\nAnswer:"
SUMMARY = "{instruction}\n\n{document}\n\nSummary:"
EXAMPLES = "{instruction}\n\n{document}\n\n{query}"

# Each task's template and instruction.
PROMPTS = {
    "narrativeqa": (QUESTION, "Answer in a few words."),
    "qasper": (QUESTION, "Answer in a few words."),
    "multifieldqa_en": (QUESTION, "Answer in a few words."),
    "multifieldqa_zh": ("{instruction}\n\n{document}\n\n问题：{query}\n答案：", "用几个词回答问题。"),
    "hotpotqa": (QUESTION, "Answer in a few words."),
    "2wikimqa": (QUESTION, "Answer in a few words."),
    "musique": (QUESTION, "Answer in a few words."),
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
        '{instruction}\n\n{document}\n\nThe summary:\n{query}\n\nGive its paragraph, as in "Paragraph 7".\n\nAnswer: ',
        "Find the one of these paragraphs that the summary at the end was made from.",
    ),
    "passage_retrieval_zh": (
        "{instruction}\n\n{document}\n\n摘要：\n{query}\n\n写出段落的编号，例如“段落7”。\n\n答案：",
        "最后的摘要是根据下面哪一段写的？",
    ),
    "lcc": ("{instruction}\n\n{document}The line after it:\n", "Write the line of code that comes next."),
    "repobench-p": (
        "{instruction}\n\n{document}{query}The line after it:\n",
        "Write the line of code that comes next. Code of other files stands first.",
    ),
}
