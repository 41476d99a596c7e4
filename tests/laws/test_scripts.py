"""Laws for pages in every script: offsets and sizes of chunks, rankings, and the score of a right answer."""

import unicodedata
from itertools import pairwise
from typing import NamedTuple

import numpy as np

import chunkers
import retrievers
from chunkers import Chunk
from models.encoders import TokenVectors
from pipelines import metrics
from pipelines.records import Document, Example
from retrievers import Retriever
from tests.laws.test_chunkers import count, has_field, make_chunker, split
from tests.retrievers.conftest import HashEncoder
from tests.turns import for_each

SIZE = 7


class Page(NamedTuple):
    """Sentences of one language, and a query of words that only the last one has."""

    sentences: tuple[str, ...]
    query: str


PAGES = {
    "Latin": Page(
        (
            "Le café du port ouvre à six heures.",
            "Une pêcheuse répare son filet près du môle.",
            "L'été, les bateaux rentrent après minuit.",
            "Où est passée la clé de l'église ?",
        ),
        "clé église",
    ),
    "Latin, decomposed": Page(
        tuple(
            unicodedata.normalize("NFD", sentence)
            for sentence in (
                "Đêm qua trời mưa rất to ở làng tôi.",
                "Bà ngoại nấu một nồi cháo nóng.",
                "Con mèo ngủ cạnh bếp lửa.",
                "Thầy giáo đọc sách dưới gốc đa.",
            )
        ),
        "thầy giáo",
    ),
    "Cyrillic": Page(
        (
            "Ёжик шёл через туман к реке.",
            "Старый мельник пёк хлеб по ночам.",
            "Зимой мост через реку закрыт.",
            "Девочка потеряла синий ключ.",
        ),
        "синий ключ",
    ),
    "Greek": Page(
        (
            "Το καΐκι έφυγε το πρωί από το λιμάνι.",
            "Η γιαγιά άναψε τη λάμπα στην αυλή.",
            "Ο βοσκός κατέβηκε από το βουνό.",
            "Τα παιδιά βρήκαν ένα παλιό ρολόι.",
        ),
        "ΠΑΛΙΌ ΡΟΛΌΙ",
    ),
    "Arabic": Page(
        (
            "فتح التاجر دكانه عند الفجر.",
            "زرعت الجدة شجرة زيتون قرب البئر.",
            "وصل القطار متأخرًا إلى المدينة.",
            "وجد الولد مفتاحًا أزرق في الرمل؟",
        ),
        "مفتاحًا أزرق",
    ),
    "Hebrew": Page(
        (
            "הדייג יצא לים לפני הזריחה.",
            "הסבתא אפתה עוגה לכבוד החג.",
            "הגשר הישן נסגר בחורף.",
            "הילדה מצאה מפתח כחול בחול.",
        ),
        "מפתח כחול",
    ),
    "Devanagari": Page(
        (
            "मछुआरा सुबह नदी पर जाता है।",
            "दादी ने आँगन में दीपक जलाया।",
            "पुराना पुल सर्दियों में बंद रहता है।",
            "लड़की को रेत में नीली चाबी मिली।",
        ),
        "नीली चाबी",
    ),
    "Bengali": Page(
        (
            "জেলে ভোরে নদীতে নৌকা ভাসায়।",
            "দিদিমা উঠানে প্রদীপ জ্বালালেন।",
            "শীতে পুরনো সেতু বন্ধ থাকে।",
            "মেয়েটি বালিতে নীল চাবি খুঁজে পেল।",
        ),
        "নীল চাবি",
    ),
    "Tamil": Page(
        (
            "மீனவர் காலையில் கடலுக்குச் சென்றார்.",
            "பாட்டி முற்றத்தில் விளக்கு ஏற்றினாள்.",
            "பழைய பாலம் மழையில் மூடப்படும்.",
            "சிறுமி மணலில் நீலச் சாவியைக் கண்டாள்.",
        ),
        "நீலச் சாவியைக்",
    ),
    "Thai": Page(
        (
            "ชาวประมงออกเรือก่อนฟ้าสาง",
            "คุณยายจุดตะเกียงที่ลานบ้าน",
            "สะพานเก่าปิดในฤดูหนาว",
            "เด็กหญิงพบกุญแจสีน้ำเงินในทราย",
        ),
        "กุญแจสีน้ำเงิน",
    ),
    "Lao": Page(
        (
            "ຊາວປະມົງອອກເຮືອແຕ່ເຊົ້າ",
            "ແມ່ເຖົ້າໄຕ້ໂຄມຢູ່ເດີ່ນບ້ານ",
            "ຂົວເກົ່າປິດໃນລະດູໜາວ",
            "ເດັກຍິງພົບກະແຈສີຟ້າ",
        ),
        "ກະແຈສີຟ້າ",
    ),
    "Burmese": Page(
        (
            "တံငါသည် မနက်စောစော ထွက်သွားသည်။",
            "အဖွားက ခြံထဲမှာ မီးထွန်းသည်။",
            "တံတားဟောင်းကို ဆောင်းရာသီမှာ ပိတ်ထားသည်။",
            "ကလေးမလေးက သဲထဲမှာ သော့အပြာတစ်ချောင်း တွေ့သည်။",
        ),
        "သော့အပြာ",
    ),
    "Khmer": Page(
        (
            "អ្នកនេសាទចេញទូកពីព្រលឹម។",
            "ជីដូនដុតចង្កៀងនៅទីធ្លា។",
            "ស្ពានចាស់បិទនៅរដូវរងា។",
            "ក្មេងស្រីរកឃើញកូនសោពណ៌ខៀវក្នុងខ្សាច់។",
        ),
        "កូនសោពណ៌ខៀវ",
    ),
    "Han": Page(
        (
            "渔夫天亮前出海。",
            "奶奶在院子里点灯。",
            "旧桥冬天关闭。",
            "女孩在沙子里找到一把蓝色的钥匙。",
        ),
        "蓝色钥匙",
    ),
    "Kana": Page(
        (
            "りょうしは夜明け前に海へ出た。",
            "おばあさんが庭でランプをつけた。",
            "古い橋は冬のあいだ閉まっている。",
            "女の子は砂の中で青いカギを見つけた。",
        ),
        "青いｶｷﾞ",
    ),
    "Hangul": Page(
        (
            "어부는 해 뜨기 전에 바다로 나갔다.",
            "할머니가 마당에 등불을 켰다.",
            "낡은 다리는 겨울에 닫힌다.",
            "소녀는 모래에서 파란 열쇠를 찾았다.",
        ),
        "파란 열쇠를",
    ),
}
FORMS = ("NFC", "NFD")

every_page = for_each("page", PAGES.values())
sizes_in_words = for_each("name", [name for name in chunkers.names() if has_field(name, "size")])


def text_of(page: Page) -> str:
    return " ".join(page.sentences[:2]) + "\n\n" + "\n".join(page.sentences[2:])


def ranks_by_query(name: str) -> bool:
    return retrievers.registry.component(name).query_source in ("query", "references")  # type: ignore[attr-defined]


def retriever(name: str) -> Retriever:
    """The retriever of a name, with an encoder of pairs of characters or without one."""
    fields = {
        "dense": {"model": Syllables(dimensions=2048)},
        "late_interaction": {"model": Syllables(dimensions=512)},
        "hybrid": {"retrievers": ("bm25", "tfidf")},
        "evidence": {"encoder": "none"},
        "best": {"encoder": "none"},
    }
    return retrievers.get(name, **fields.get(name, {}))


class Syllables(HashEncoder):
    """An encoder with a random vector for each pair of characters, since no model reads every script."""

    def encode(self, texts, kind):  # type: ignore[no-untyped-def]
        normalized = [unicodedata.normalize("NFKC", text) for text in texts]
        return super().encode([" ".join(map("".join, pairwise(text))) for text in normalized], kind)

    def token_vectors(self, texts, kind):  # type: ignore[no-untyped-def]
        """Vectors of all pairs as tokens."""
        normalized = [unicodedata.normalize("NFKC", text).lower() for text in texts]
        pairs = [list(map("".join, pairwise(text))) for text in normalized]
        all_pairs = [pair for text_pairs in pairs for pair in text_pairs]
        vectors = np.array([self.word(pair) for pair in all_pairs], np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        ids = np.array([ord(first) << 21 | ord(second) for first, second in all_pairs], np.int64)
        return TokenVectors(vectors, ids, np.cumsum([0, *map(len, pairs)]).astype(np.int64))


@every_page
@for_each("name", chunkers.names())
def test_a_chunk_is_the_text_at_its_offsets(name: str, page: Page) -> None:
    for form in FORMS:
        text = unicodedata.normalize(form, text_of(page))
        chunks = split(make_chunker(name, size=SIZE), text)
        assert [text[chunk.start : chunk.end] for chunk in chunks] == [chunk.text for chunk in chunks]
        assert chunks


@every_page
@sizes_in_words
def test_no_chunk_is_over_its_size_in_words_and_a_page_has_several(name: str, page: Page) -> None:
    chunks = split(make_chunker(name, size=SIZE), text_of(page))
    assert all(count("words", chunk.text) <= SIZE for chunk in chunks)
    if name != "mentions":  # it takes only text near the name
        assert len(chunks) >= 3


@every_page
@for_each("name", [name for name in retrievers.names() if ranks_by_query(name) and name != "mentions"])
def test_a_query_finds_its_sentence(name: str, page: Page) -> None:
    chunks = [Chunk(sentence, 0, len(sentence)) for sentence in page.sentences]
    index = retriever(name).index(chunks)
    for form in FORMS:
        queries = [unicodedata.normalize(form, text) for text in (*page.sentences, page.query)]
        assert index.search(queries, 1)[1][:, 0].tolist() == [0, 1, 2, 3, 3]


@for_each("script", [name for name in PAGES if name not in ("Thai", "Lao", "Khmer", "Han", "Kana")])
def test_a_name_is_found_where_words_have_spaces(script: str) -> None:
    page = PAGES[script]
    name = page.sentences[1].split()[1]
    index = retrievers.get("mentions").index([Chunk(sentence, 0, len(sentence)) for sentence in page.sentences])
    for form in FORMS:
        assert np.argmax(index.scores([unicodedata.normalize(form, name)])[0]) == 1


@every_page
@for_each("name", ["f1", "exact_match", "answer_recall"])
def test_an_answer_equal_to_the_reference_scores_100_in_any_unicode_form(name: str, page: Page) -> None:
    metric = metrics.get(f"{name}:unicode")
    for sentence in (*page.sentences, page.query):
        forms = [unicodedata.normalize(form, sentence) for form in ("NFC", "NFD", "NFKC", "NFKD")]
        for prediction in forms:
            for reference in forms:
                example = Example("a", Document("d", ""), references=(reference,))
                assert metric.statistics(prediction, example) == {name: 100.0}


@every_page
def test_another_sentence_scores_less(page: Page) -> None:
    metric = metrics.get("f1:unicode")
    for prediction in page.sentences:
        for reference in page.sentences:
            example = Example("a", Document("d", ""), references=(reference,))
            assert (metric.statistics(prediction, example)["f1"] < 60) == (prediction != reference)
