"""An answer with a quote for each of its claims, or withheld where the quotes support it too little."""

import re
from collections.abc import Sequence
from dataclasses import replace

from pipelines.answers.answer import Answer
from pipelines.answers.answer_content import Certificate, ClaimQuote, QuotedClaim
from pipelines.answers.indexing.collection import Collection
from pipelines.strategies.shared.certification import WITHHELD, CertificationRule
from pipelines.support import Claim, SupportedDocument

_CITATION = re.compile(r"\s*[\[【［]\d[^\[\]\n]{0,60}[\]】］]")


def certified_answer(
    answer: Answer, collection: Collection, documents: Sequence[SupportedDocument], rule: CertificationRule
) -> Answer:
    """The answer with its certificate; `documents` are those of the collection.

    Of an answer that is withheld nothing else is left in place: no citation, no sentence, no mark in a passage.
    """
    text = _CITATION.sub("", answer.text)
    options = [document.claims(text, answer.question) for document in documents]
    best = [max(enumerate(claims), key=lambda entry: entry[1].support) for claims in zip(*options, strict=True)]
    result = rule.certified(text, [claim for _, claim in best])
    certificate = Certificate(
        result.is_shown,
        result.support,
        tuple(_quoted(collection, number, claim) for number, claim in best),
        rule.note,
        rule.risk,
        rule.threshold,
        answer.text if result.is_withheld else "",
    )
    if not result.is_withheld:
        return replace(answer, certificate=certificate)
    passages = [replace(passage, answer=None) for passage in answer.passages]
    return replace(answer, text=WITHHELD, passages=passages, citations=(), best_sentence=None, certificate=certificate)


def _quoted(collection: Collection, number: int, claim: Claim) -> QuotedClaim:
    """A claim with the place of its quote in the document of that number."""
    if claim.quote is None:
        return QuotedClaim(claim.text, claim.support)
    document, offset, quote = collection.documents[number], collection.starts[number], claim.quote
    location = collection.place(offset + quote.start, offset + quote.end)[1]
    file = document.meta.get("file")
    return QuotedClaim(claim.text, claim.support, ClaimQuote(quote.text, quote.start, quote.end, file, location))
