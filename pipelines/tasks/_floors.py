"""The floor of every task of MuLD, SCROLLS and ZeroSCROLLS, as `model="floor"` runs it.

SCROLLS: section 5.1 of Shaham et al. 2022. ZeroSCROLLS: section 4.1 of Shaham et al. 2023, whose random spans are of
words; it leaves open how often Qasper's floor is a fixed choice, here half of the time.

MuLD's paper has none; these are ours:

- narrativeqa: four random words, as ZeroSCROLLS has it for the same questions.
- hotpotqa: "yes", the commonest answer (the rest are names; Yang et al. 2018, table 2: 6 % are yes or no).
- style_change: one author throughout, as any two paragraphs are taken to be alike (PAN's floor: nothing changes).
- character_types: the commonest type of the training split.
- opensubtitles: the text left in its own language.
- vlsp: the first sentences, 220 words of them, the mean length of arXiv's abstracts (Cohan et al. 2018, table 1).
"""

FLOORS = {
    "narrativeqa": "naive:random,words=4",
    "hotpotqa": "constant:yes",
    "style_change": "single_author",
    "character_types": "majority",
    "opensubtitles": "copy",
    "vlsp": "lead:words=220",
    "scrolls/gov_report": "prefix",
    "scrolls/summ_screen_fd": "prefix",
    "scrolls/qmsum": "prefix",
    "scrolls/qasper": "prefix",
    "scrolls/narrative_qa": "prefix",
    "scrolls/quality": "majority",
    "scrolls/contract_nli": "majority:per=query",
    "zero_scrolls/gov_report": "naive:random,words=500",
    "zero_scrolls/summ_screen_fd": "naive:random,words=200",
    "zero_scrolls/qmsum": "naive:random,words=50",
    "zero_scrolls/squality": "naive:random,words=120",
    "zero_scrolls/narrative_qa": "naive:random,words=4",
    "zero_scrolls/qasper": "random_choice:texts=[Yes,No,Unanswerable],words=15",
    "zero_scrolls/quality": "random_choice:texts=[A,B,C,D]",
    "zero_scrolls/musique": "constant:unanswerable",
    "zero_scrolls/space_digest": "constant:50%",
    "zero_scrolls/book_sum_sort": "order:identity",
}
