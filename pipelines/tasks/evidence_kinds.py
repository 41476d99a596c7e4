"""The kind of evidence that a data set's questions need: the preset of the retriever `evidence` for its tasks.

HotpotQA annotates sentences (Yang et al. 2018), MuSiQue paragraphs (Trivedi et al. 2022), ContractNLI sentences and
items of lists (Koreeda & Manning 2021), QMSum ranges of turns (Zhong et al. 2021), Qasper paragraphs (Dasigi et al.
2021); 2WikiMultihopQA's facts are in sentences (Ho et al. 2020). For questions about stories a few sentences around the
place that is asked for were marked by hand (`benchmarks/marked_questions.py`).
"""

EVIDENCE = {
    "hotpotqa": "sentence",
    "2wikimqa": "sentence",
    "musique": "passage",
    "qasper": "paragraph",
    "contract_nli": "clause",
    "qmsum": "range",
    "narrativeqa": "narrative",
    "narrative_qa": "narrative",
    "quality": "narrative",
    "squality": "narrative",
}
