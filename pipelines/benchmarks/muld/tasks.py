"""The tasks of MuLD (Hudson and Al Moubayed 2022): section 3.2 says what they are, section 4 how they are run.

Paths of files are as the hub lists them, counts those of Table 1. What this counts as "train" for character types, 167,
is the published validation split; there the counts are the files'.

The paper has no floors; these are ours:

- narrativeqa: four random words, as ZeroSCROLLS has it for the same questions.
- hotpotqa: "yes", the commonest answer (the rest are names; Yang et al. 2018, table 2: 6 % are yes or no).
- style_change: one author throughout, as any two paragraphs are taken to be alike (PAN's floor: nothing changes).
- character_types: the commonest type of the training split.
- opensubtitles: the text left in its own language.
- vlsp: the first sentences, 220 words of them, the mean length of arXiv's abstracts (Cohan et al. 2018, table 1).
"""

from collections.abc import Mapping
from typing import Any

from pipelines.benchmarks.muld.layouts.character_types import LABELS
from pipelines.metrics import EVIDENCE_NAMES
from pipelines.prompts.chat_words import ABSTRACT, PART, SHORTLY, ChatWords
from pipelines.prompts.chat_words import CHAT as SCROLLS
from pipelines.sources import DatasetInfo
from pipelines.tasks import Task
from pipelines.tasks.evidence_kinds import EVIDENCE


def _dataset(name: str, layout: str, counts: Mapping[str, int], **facts: Any) -> DatasetInfo:
    files = {split: (f"data/{name}_{split}.json.bz2",) for split in counts}
    return DatasetInfo("ghomasHudson/muld", files, layout, counts, **facts)


DATASETS = {
    "narrativeqa": _dataset(
        "narrativeqa", "muld", {"train": 32_159, "validation": 3_461, "test": 10_261}, originals=("narrativeqa",)
    ),
    "hotpotqa": _dataset(
        "hotpotqa",
        "muld",
        {"train": 87_752, "validation": 7_405},
        originals=("hotpotqa",),
        originals_differ="HotpotQA's own paragraphs, where MuLD's documents are whole pages",
    ),
    "style_change": _dataset(
        "style_change", "style_change", {"train": 6_354, "validation": 705, "test": 2_352}, has_query=False
    ),
    "character_types": _dataset(
        "character_id",
        "character_types",
        {"train": 1_256, "validation": 167, "test": 86},
        count_source="the published set",
    ),
    "opensubtitles": _dataset(
        "opensubtitles",
        "muld",
        {"train": 4_252, "test": 1_385},
        originals=("aligned",),
        originals_differ="files of lines of one's own",
        has_query=False,
    ),
    "vlsp": _dataset("vlsp", "muld", {"test": 482}, originals=("vlsp",), has_query=False),
}

GENERATION = ("bleu-1", "bleu-4", "rouge-l", "meteor")
RETRIEVER = "tfidf:token_pattern=scikit-learn"  # its defaults; the paper does not say which words it counts
NO_LENGTH = "The paper gives no output length and no prompt; both are longdoc's."

NARRATIVEQA = Task(
    name="narrativeqa",
    summary="questions about whole books and film scripts",
    dataset=DATASETS["narrativeqa"],
    floor="naive:random,words=4",
    evidence=EVIDENCE["narrativeqa"],
    retriever=RETRIEVER,
    k=10,  # section 4: "the top 10 chunks"
    metrics=(*GENERATION, "f1", "exact_match", "answer_recall"),
    max_new_tokens=64,
    notes=NO_LENGTH,
    chat=SCROLLS["narrative_qa"],
)

HOTPOTQA = Task(
    name="hotpotqa",
    summary="multi-hop questions over whole Wikipedia pages",
    dataset=DATASETS["hotpotqa"],
    floor="constant:yes",
    evidence=EVIDENCE["hotpotqa"],
    retriever=RETRIEVER,
    split="validation",  # there is no test file
    k=10,
    metrics=(*GENERATION, "f1", "exact_match", "answer_recall", *EVIDENCE_NAMES),
    max_new_tokens=32,
    notes=NO_LENGTH,
    chat=ChatWords(
        "Answer a question from pages of Wikipedia. It may take facts from several of them.",
        SHORTLY,
        document="Pages",
    ),
)

STYLE_CHANGE = Task(
    name="style_change",
    summary="who wrote each paragraph of documents by one to four authors",
    dataset=DATASETS["style_change"],
    floor="single_author",
    floor_chunker="single_lines",
    floor_strategy="pairs",
    chunker="single_lines",
    retriever="all",
    strategy="pairs",
    prompt="{document}",
    metrics=("style_change", "style_changes", "multi_author"),
    max_new_tokens=1,  # nothing is generated: pairs are compared, or the strategy says how much is written
    notes="The paper gives no threshold, and publishes no classifier. `--model stylometry` and `--model bi_encoder` are"
    " fitted on the training split.",
    chat=ChatWords(
        "Say which of its authors, one to four, wrote each paragraph of a document.",
        "Write the number of the author of each paragraph, in order and with commas between them, and nothing else. "
        "The first paragraph is by author 1, the first by somebody else is by author 2, and so on.",
    ),
)

CHARACTER_TYPES = Task(
    name="character_types",
    summary="whether a named character of a film script is its hero or its villain",
    dataset=DATASETS["character_types"],
    floor="majority",
    chunker="mentions",
    retriever="mentions",
    k=3,
    order="document",
    strategy="label",
    prompt="{instruction} {query}\n{document}",
    instruction="Is this character the hero or the villain of the film?",
    labels=LABELS,
    metrics=(f"macro_f1:[{','.join(LABELS)}]", "accuracy"),
    max_new_tokens=1,  # nothing is generated: the labels are compared, or the strategy says how much is written
    notes="The paper gives no prompt, no average of its F1 and no size of its windows. longdoc scores macro F1 over "
    "both classes; three windows share the reader's limit. The 167 examples that Table 1 counts for training are "
    "the published validation split (1,256 / 167 / 86).",
    chat=ChatWords(
        "Say whether a character of a film is its hero or its villain, from the film's script.",
        "Write the one of these labels that describes the character, and nothing else:",
        document="Script",
        query="Character",
        answers="label",
    ),
)

OPENSUBTITLES = Task(
    name="opensubtitles",
    summary="translation of whole films and series, line by line, English to German",
    dataset=DATASETS["opensubtitles"],
    floor="copy",
    chunker="lines",
    retriever="all",
    strategy="map:keep_lines=true",
    prompt="{instruction}{document}",
    instruction="translate English to German: ",  # T5's own (Raffel et al. 2020, appendix D)
    metrics=GENERATION,
    max_new_tokens=512,
    notes="The paper gives no output length; longdoc's is for each chunk. Chat models get chunks whose translation fits"
    ' into it, as numbered lines. For another pair of languages give the prompt (`--prompt "translate English to '
    'French: {document}"`), or a model that is made for it.',
    chat=ChatWords(
        "Translate the subtitles of a film from English to German.",
        "Write the translation line by line, as many lines as the subtitles have: under each other, in the same order, "
        "without numbers. Write nothing else.",
        document="Subtitles",
        part_format="Write the translation of this part line by line, as many lines as it has: under each other, in "
        "the same order, without numbers. Write nothing else.",
    ),
)

VLSP = Task(
    name="vlsp",
    summary="abstracts of very long scientific papers and theses",
    dataset=DATASETS["vlsp"],
    floor="lead:words=220",
    chunker="sections:level=1,keep=body",
    retriever="all",
    strategy="map",
    prompt="{instruction} {document}",
    instruction="summarize:",
    metrics=GENERATION,
    max_new_tokens=32,  # of each section's summary; chat models have a length of their own
    notes="The paper gives no output length, no prompt and no level of headings. longdoc takes 32 tokens for each "
    "section, and chapters as sections; a chapter over the reader's limit is split. So the output grows with the "
    "number of sections: about ten chapters make a long abstract, ninety parts ten times that. BLEU-1 cannot "
    "exceed the references' length divided by the output's: the paper's 28.85 and 46.74 mean that its outputs "
    "were at most 3.5 and 2.1 times as long as the references. `--chunker "
    "sections:level=1,keep=body,size=1000000` makes one request for each chapter, whose end is cut. A chat "
    "model's sections share an abstract's 220 words, and a last request makes one abstract of them. Training is "
    "on whole papers of Cohan et al. (2018), as in the paper, with at most 256 tokens of an abstract, which is "
    "longdoc's choice.",
    training=(("strategy", "stuff"), ("chunker", "whole"), ("retriever", "all"), ("max_new_tokens", 256)),
    trains_on="the paper trained on the shorter papers of Cohan et al. (2018), the arXiv part of scientific_papers: "
    "give data= the folder of its train.txt, val.txt and test.txt, or of the hub's rows (article, abstract, "
    "section_names)",
    chat=ChatWords(
        "Sum up a scientific paper or thesis.",
        f"Write its abstract, of at most {ABSTRACT} words, and nothing else.",
        document="Paper",
        part_format=PART,
        length=ABSTRACT,
        max_new_tokens=2 * ABSTRACT,
    ),
)

TASKS = (NARRATIVEQA, HOTPOTQA, STYLE_CHANGE, CHARACTER_TYPES, OPENSUBTITLES, VLSP)
