import retrievers
from chunkers import Chunk
from retrievers.shared.counts import Counts
from retrievers.shared.word_forms import counted_words

ENGLISH = "A die has six sides, and the dice are in the box."
GERMAN = "Die Miete ist am Ersten fällig, und der Vertrag endet im Mai."
WORDS = counted_words("auto", "auto")


def scores_of(question: str, *texts: str, retriever: str = "bm25:stop_words=auto,stem=auto") -> list[float]:
    chunks = [Chunk(text, 0, len(text)) for text in texts]
    return [round(score, 6) for score in retrievers.get(retriever).index(chunks).scores([question])[0].tolist()]


def test_each_text_has_the_stop_words_and_stems_of_its_own_language() -> None:
    counts = Counts.of([ENGLISH, GERMAN], WORDS)
    assert sorted(counts.languages) == ["english", "german"]
    assert [score > 0 for score in scores_of("Which die is in the boxes?", ENGLISH, GERMAN)] == [True, False]
    assert [score > 0 for score in scores_of("Wann enden die Verträge?", ENGLISH, GERMAN)] == [True, True]
    assert [score > 0 for score in scores_of("Wann enden die Verträge?", GERMAN)] == [True]


def test_a_short_text_has_the_language_of_the_text_before_it_and_six_languages_are_found() -> None:
    texts = [
        ENGLISH,
        GERMAN,
        "Verträge",
        "Le loyer est payé par les voisins de la rue.",
        "El contrato no es de los vecinos.",
        "Il contratto non è della casa, ma del vicino.",
        "De huur is niet voor het huis, maar voor een kamer.",
    ]
    counts = Counts.of(texts, WORDS)
    assert counts.languages == ("english", "german", "french", "spanish", "italian", "dutch")
    assert scores_of("Vertrag", *texts)[1:3] == [score for score in scores_of("Vertrag", *texts) if score > 0]


def test_texts_of_one_language_are_ranked_as_with_its_name() -> None:
    texts = (ENGLISH, "The boxes hold many dice.", "Renée's cup")
    named = scores_of("boxes of Renee", *texts, retriever="bm25:stop_words=english,stem=english")
    assert scores_of("boxes of Renee", *texts) == named and named[2] > 0


def test_texts_and_queries_of_any_kind_are_ranked() -> None:
    page = " ".join([ENGLISH, GERMAN] * 40)
    texts = (
        "1234 5678 90", "x" * 10_000, "é" * 10_000,
        " ".join([ENGLISH, GERMAN, "الإيجار في الشهر", "Аренда", "계약은", "契約書"]),
        "無間隔的文本沒有空格" * 50, "שלום world مرحبا 123 abc", "😀😀 🎲", "", "7.3",
    )  # fmt: skip
    for retriever in ("bm25:stop_words=auto,stem=auto", "bm25", "tfidf", "best:encoder=none"):
        for question in ("a", "é", "7", "😀", "?", "", "契", "x" * 10_000, page, *texts):
            assert len(scores_of(question, *texts, retriever=retriever)) == len(texts), (retriever, question[:20])
