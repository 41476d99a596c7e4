"""L-Eval: twenty tasks on long documents, each with several instructions (An et al. 2024).

Its files are in its repository (github.com/OpenLMLab/LEval), `LEval-data/`: `data=`. Counts are those of its files
(commit cd34b05), where no document comes again for people or a judge.
"""

from pipelines.prompts.chat_words import SHORTLY, ChatWords
from pipelines.sources import DatasetInfo
from pipelines.tasks import Task
from pipelines.tasks.evidence_kinds import EVIDENCE

NOTES = (
    "Prompts and output lengths are longdoc's. As in the benchmark, the prompt of a summary names the number of "
    "words of its reference. The benchmark's other scores of open-ended tasks come from people and from a judge "
    "(`--judge`)."
)
LETTER = "Write the letter of the right answer first, and nothing else."
LETTERS = "Write the letters of all right answers, without anything between them, and nothing else."
NUMBER = 'Work it out step by step, and end with a sentence that begins "The answer is" and gives the number.'
RESULT = "End with the result, and write nothing behind it."
TOPIC = "Write the name of the topic and nothing else."
TRUTH = (
    "Write True or False for the story, and behind it, in square brackets, the word fact, a colon, and True or False "
    "for the real world."
)
ANSWER = "Answer in one or two sentences, and write nothing else."
TEXT = "Write what is asked for and nothing else."


def _task(name: str, summary: str, metric: str, words: ChatWords, length: int, count: int = 0) -> Task:
    return Task(
        name=f"leval/{name}",
        summary=summary,
        dataset=DatasetInfo(
            repository="",
            files={},
            layout="leval",
            counts={"test": count} if count else {},
            count_source="its repository",
        ),
        chunker="whole",
        retriever="all",
        order="document",
        model="google/flan-t5-base",
        prompt=f"{words.instruction}\n\n{{document}}\n\n{{query}}\n\n{words.format}",
        predictions="leval",
        metrics=(metric,),
        evidence=EVIDENCE.get(name, ""),
        max_new_tokens=length,
        notes=NOTES,
        chat=words,
    )


def _questions(subject: str, noun: str = "Document", form: str = ANSWER) -> ChatWords:
    return ChatWords(
        f"Answer a question about {subject}.", form, document=noun, cue="" if form == RESULT else "Answer:"
    )


def _writing(subject: str, noun: str) -> ChatWords:
    return ChatWords(f"Follow an instruction about {subject}.", TEXT, document=noun, query="Instruction", cue="")


TASKS = (
    _task(
        "coursera",
        "multiple choice with one or several right answers about lectures",
        "choices_leval",
        _questions("the transcripts of lectures", "Lectures", LETTERS),
        32,
        172,
    ),
    _task(
        "gsm100",
        "arithmetic problems behind sixteen that are worked out",
        "number_leval",
        ChatWords(
            "Solve a problem in the way of those that are worked out here.",
            NUMBER,
            "Worked problems",
            "Problem",
            cue="",
        ),
        512,
        100,
    ),
    _task(
        "quality",
        "multiple choice about stories and articles",
        "choice_leval",
        _questions("a story or an article", "Text", LETTER),
        16,
        202,
    ),
    _task(
        "topic_retrieval_longchat",
        "the first, second and third topic of long conversations",
        "topic_leval",
        _questions("a conversation of many topics", "Conversation", TOPIC),
        64,
        150,
    ),
    _task(
        "tpo",
        "multiple choice about lectures of TOEFL",
        "choice_leval",
        _questions("a lecture", "Lecture", LETTER),
        16,
        269,
    ),
    _task(
        "codeU",
        "what a program in a long code base prints",
        "code_leval",
        _questions("a long code base", "Code", RESULT),
        256,
    ),
    _task(
        "sci_fi",
        "whether statements are true in a story, and in fact",
        "truth_leval",
        _questions("a story of science fiction", "Story", TRUTH),
        32,
        64,
    ),
    _task(
        "financial_qa",
        "questions about calls on financial results",
        "f1",
        _questions("a conference call", "Transcript"),
        256,
    ),
    _task("gov_report_summ", "summaries of reports", "rouge", _writing("a report", "Report"), 1024),
    _task("legal_contract_qa", "clauses of contracts", "f1", _questions("a contract", "Contract"), 256),
    _task("meeting_summ", "what is said in meetings", "rouge", _writing("the transcript of a meeting", "Meeting"), 512),
    _task("multidoc_qa", "questions about several documents", "f1", _questions("several documents", "Documents"), 256),
    _task(
        "narrative_qa",
        "questions about books and film scripts",
        "f1",
        _questions("a story, which is a book or a film script", "Story", SHORTLY),
        64,
    ),
    _task(
        "natural_question",
        "questions about pages of Wikipedia",
        "f1",
        _questions("pages of Wikipedia", "Pages", SHORTLY),
        64,
    ),
    _task("news_summ", "summaries of several articles", "rouge", _writing("several articles", "Articles"), 1024),
    _task("paper_assistant", "sections of papers, and reviews", "rouge", _writing("a paper", "Paper"), 1024),
    _task("patent_summ", "summaries of patents", "rouge", _writing("a patent", "Patent"), 512),
    _task("review_summ", "what reviews of hotels say", "rouge", _writing("reviews of a hotel", "Reviews"), 512),
    _task("scientific_qa", "questions about papers", "f1", _questions("a paper", "Paper"), 256),
    _task("tv_show_summ", "summaries of episodes", "rouge", _writing("the script of an episode", "Script"), 512),
)
