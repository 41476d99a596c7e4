"""The extractive reader: the right stretch for each type of question, and plain behaviour at the edges."""

import json
from pathlib import Path

import pytest

import models
from longdoc.errors import UserError
from models import Generate, Part, Prompt, Reply
from models.baselines._sentences import analyse
from models.baselines.extractive import Extractive

TOWER = (
    "The Harbour Tower stands in Lisbon, close to the river. "
    "Mary Jones designed the tower, and it opened on 4 May 1931. The tower has 212 steps. "
    "Her brother left the city because the winters were too cold. "
    "He went home by selling his boat. Nobody asked why."
)
PEOPLE = "Anna Berg (born 3 June 1950) is a Swedish painter. Carl Lund (born 1 May 1962) is a Swedish writer who sings."


LEASE = "Section 1. Rent (1) The rent is 900 euros a month. (2) It is due on the 3rd. 3. The rent may rise."


def ask(question: str, *passages: str, unit: str = "auto", length: int = 32, **request: object) -> Reply:
    parts = [Part("query", question)] if question else []
    parts += [Part("document", text, 0, len(text), rank) for rank, text in enumerate(passages)]
    reader = models.get("extractive", unit=unit)
    return reader.reply([Generate(Prompt(tuple(parts)), length, **request)])[0]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who designed the Harbour Tower?", "Mary Jones"),
        ("The Harbour Tower was designed by whom?", "Mary Jones"),
        ("When did the tower open?", "4 May 1931"),
        ("In what year did the tower open?", "1931"),
        ("Where does the Harbour Tower stand?", "Lisbon"),
        ("The Harbour Tower stands in which city?", "Lisbon"),
        ("How many steps does the tower have?", "212"),
        ("Which architect designed the tower?", "Mary Jones"),
        ("What is the name of the architect who designed the tower?", "Mary Jones"),
        ("Why did her brother leave the city?", "because the winters were too cold"),
        ("How did he go home?", "by selling his boat"),
        ("What did the tower do in May?", "Mary Jones designed the tower, and it opened on 4 May 1931."),
    ],
)
def test_each_type_of_question_gets_its_own_stretch(question: str, answer: str) -> None:
    assert ask(question, TOWER).value == answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who was born first, Carl Lund or Anna Berg?", "Anna Berg"),
        ("Who is younger, Carl Lund or Anna Berg?", "Carl Lund"),
        ("Who is older Carl Lund or Anna Berg?", "Anna Berg"),
        ("Which writer sings, Anna Berg or Carl Lund?", "Carl Lund"),
        ("Are Anna Berg and Carl Lund both Swedish?", "yes"),
        ("Do Anna Berg and Carl Lund both sing?", "no"),
        ("What nationality is Anna Berg?", "Swedish"),
    ],
)
def test_a_question_that_names_its_answers_gets_one_of_them(question: str, answer: str) -> None:
    assert ask(question, PEOPLE).value == answer


def test_the_longer_life_is_the_larger_distance_between_years() -> None:
    lives = "Anna Berg (1900–1950) painted. Carl Lund (1890–1980) wrote."
    assert ask("Who lived longer, Anna Berg or Carl Lund?", lives).value == "Carl Lund"


def test_an_or_inside_an_open_question_does_not_list_answers() -> None:
    text = "The tower was painted white by Paul Reed. It rained."
    assert ask("Where did Ann or Bob paint?", text).value == "The tower was painted white by Paul Reed."


def test_unit_sentence_gives_the_whole_sentence() -> None:
    whole = "Mary Jones designed the tower, and it opened on 4 May 1931."
    assert ask("Who designed the tower?", TOWER, unit="sentence").value == whole


def test_unit_span_gives_a_name_where_the_type_asks_for_nothing_short() -> None:
    question = "What did the woman design that opened in May 1931?"
    assert ask(question, TOWER, unit="span").value == "Mary Jones"
    assert ask(question, TOWER).value == "Mary Jones designed the tower, and it opened on 4 May 1931."


def test_a_sentence_is_trimmed_to_the_clause_that_holds_the_question() -> None:
    text = "The sun was low; the captain sold the old ship to a merchant; nobody spoke."
    assert ask("What did the captain do with the ship?", text).value == "the captain sold the old ship to a merchant"


def test_a_sentence_that_is_a_question_is_not_the_answer() -> None:
    text = "Did the captain sell the ship at night? The captain sold the ship to a rich merchant."
    question = "What did the captain do with the ship?"
    assert ask(question, text).value == "The captain sold the ship to a rich merchant."


def test_a_name_in_the_question_is_not_the_answer() -> None:
    assert ask("Who did Mary Jones meet?", "Mary Jones met Paul Reed.").value == "Paul Reed"


def test_of_two_equal_sentences_the_better_ranked_passage_gives_the_answer() -> None:
    first, second = "Paul Reed built the mill.", "Otto Hahn built the mill."
    assert ask("Who built the mill?", first, second).value == "Paul Reed"
    assert ask("Who built the mill?", second, first).value == "Otto Hahn"


def test_a_neighbouring_sentence_helps() -> None:
    text = "The mill burnt down in the old town. It was a cold night and nobody came. The lamp fell over. Dogs barked."
    assert ask("What burnt the old mill down?", text).value == "The mill burnt down in the old town."


def test_a_title_is_kept_apart_from_the_sentence_below_it() -> None:
    text = "Harbour Tower\nMary Jones designed it. It is high."
    assert ask("Who designed the Harbour Tower?", text).value == "Mary Jones"


@pytest.mark.parametrize("unit", ["auto", "sentence", "span"])
def test_without_passages_the_answer_is_empty(unit: str) -> None:
    assert ask("Who came?", unit=unit) == Reply("", tokens_in=2)
    assert ask("Who came?", " \n ", unit=unit).value == ""


@pytest.mark.parametrize("unit", ["auto", "sentence", "span"])
def test_without_a_question_the_first_sentence_is_the_answer(unit: str) -> None:
    assert ask("", "One came early. Two came late.", unit=unit).value == "One came early."


def test_where_nothing_overlaps_the_first_sentence_is_the_answer() -> None:
    assert ask("Who painted Zanzibar?", "One came early. Two came late.").value == "One came early."


def test_a_title_is_not_the_lead_sentence() -> None:
    assert ask("", "A Report on Mills\n\nMills turn. Water runs.").value == "Mills turn."


def test_a_plain_string_gives_its_lead_sentence() -> None:
    (reply,) = Extractive().reply([Generate("Mills turn slowly. Water runs.", 32)])
    assert (reply.value, reply.tokens_in, reply.finish_reason) == ("Mills turn slowly.", 5, "stop")


def test_one_word_passages_are_answered() -> None:
    assert ask("Who?", "Anna").value == "Anna"
    assert ask("Is Anna here?", "Anna", "Bob").value == "no"


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        ("Où habite Zoé Émond ?", "Zoé Émond habite à Paris. Il pleut.", "Zoé Émond habite à Paris."),
        ("Кто построил мост?", "Шёл дождь. Мост построил Иван.", "Мост построил Иван."),
        ("谁造了桥？", "😀 雨。桥。", "😀 雨。"),
        ("Who is 😀 Zoë Ångström?", "Zoë Ångström met Émile Öst 😀.", "Émile Öst"),
        ("Who broke it?", "A stray \ud800 mark. Paul Reed broke it.", "Paul Reed"),
    ],
)
def test_other_scripts_are_read(question: str, text: str, answer: str) -> None:
    assert ask(question, text).value == answer


def test_an_answer_stops_at_the_requested_length() -> None:
    cut = ask("What did the captain sell?", "The captain sold the very old ship.", length=3)
    assert (cut.value, cut.tokens_out, cut.finish_reason) == ("The captain sold", 3, "length")
    whole = ask("What did the captain sell?", "The captain sold the very old ship.", length=7)
    assert (whole.value, whole.tokens_out, whole.finish_reason) == ("The captain sold the very old ship.", 7, "stop")


def test_an_answer_ends_before_a_stop_string() -> None:
    reply = ask("What did the captain sell?", "The captain sold the very old ship.", stop=("ship", "very"))
    assert (reply.value, reply.tokens_out, reply.finish_reason) == ("The captain sold the", 4, "stop")


def test_n_gives_the_n_best_different_answers() -> None:
    text = "Paul Reed built the mill. Then Otto Hahn bought the mill. It rained."
    assert ask("Who built the mill?", text, n=2).value == ("Paul Reed", "Otto Hahn")
    assert ask("Who built the mill?", text, n=3).value == ("Paul Reed", "Otto Hahn", "Paul Reed")


def test_a_cut_prompt_is_answered_from_the_rest_and_the_reply_says_how_much_was_cut() -> None:
    prompt = Prompt((Part("query", "Who built it? "), Part("document", "Paul Reed built it.", 0, 19, 1),
                     Part("document", "Otto Hahn built it.", 20, 39, 0)))  # fmt: skip
    (reply,) = Extractive(max_input_tokens=8).reply([Generate(prompt, 8)])
    assert (reply.value, reply.tokens_in, reply.truncated_tokens) == ("Otto Hahn", 8, 3)


def test_a_question_over_the_limit_is_an_error_in_the_reply() -> None:
    prompt = Prompt((Part("query", "Who built it then?"), Part("document", "Paul.", 0, 5)))
    (reply,) = Extractive(max_input_tokens=3).reply([Generate(prompt, 8)])
    assert (reply.value, reply.finish_reason) == (None, "error")
    assert reply.error == "question and instructions alone take 4 tokens, the limit is 3"


@pytest.mark.parametrize("spec", ["extractive:max_input_tokens=0", "extractive:unit=word", "extractive:size=3"])
def test_wrong_parameters_are_refused(spec: str) -> None:
    with pytest.raises(UserError):
        models.get(spec)


def test_real_questions_get_answers_that_the_passages_hold(realdata: Path) -> None:
    rows = [json.loads(line) for line in (realdata / "musique" / "musique_80.jsonl").open(encoding="utf-8")]
    for row in rows[:20]:
        texts = [p["paragraph_text"] for p in row["paragraphs"]]
        answer = ask(row["question"], *texts).value
        assert answer
        assert answer in " ".join(" ".join(texts).split())


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        ("鲸鱼在海里游泳。船长名叫拉克鲁瓦。他每天数船员。", "船长叫什么名字？", "船长名叫拉克鲁瓦。"),
        ("船は海を渡った。船長の名前は田中です。嵐が来た。", "船長の名前は何ですか？", "船長の名前は田中です。"),
        ("यह किताब है। जहाज़ का कप्तान रमेश था। तूफ़ान आया।", "जहाज़ का कप्तान कौन था?", "जहाज़ का कप्तान रमेश था।"),
        ("கப்பல் புறப்பட்டது. கப்பலின் தலைவர் முருகன். மழை பெய்தது.", "கப்பலின் தலைவர் யார்?", "கப்பலின் தலைவர் முருகன்."),
        ("မိုးရွာသည်။ ကပ္ပတိန်အမည်မှာ အောင်ဖြစ်သည်။ သူအိပ်သည်။", "ကပ္ပတိန် အမည်က ဘာလဲ။", "ကပ္ပတိန်အမည်မှာ အောင်ဖြစ်သည်။"),
        ("เรือออกเดินทางตอนเช้า กัปตันของเรือชื่อสมชาย ฝนตกหนัก", "กัปตันของเรือชื่ออะไร", "กัปตันของเรือชื่อสมชาย"),
        ("កប៉ាល់ចេញដំណើរ។ កាពីទែនឈ្មោះសុខា។ ភ្លៀងធ្លាក់។", "កាពីទែនឈ្មោះអ្វី", "កាពីទែនឈ្មោះសុខា។"),
        ("أبحرت السفينة عند الفجر. كان اسم القبطان يوسف. نام البحارة.", "ما اسم القبطان؟", "كان اسم القبطان يوسف."),
        ("Il plut. Le cafe\u0301 était froid. Il partit.", "Et le café ?", "Le cafe\u0301 était froid."),
        ("Il plut. Le café était froid. Il partit.", "Et le cafe\u0301 ?", "Le café était froid."),
    ],
)
def test_the_sentence_is_found_in_any_script(text: str, question: str, answer: str) -> None:
    assert ask(question, text).value == answer


def test_words_with_marks_are_whole_and_chinese_letters_have_pairs_as_stems() -> None:
    hindi, chinese = analyse("पढ़ना l’été_2.5"), analyse("海里 AI、里")
    assert [word.text for word in hindi.words] == ["पढ़ना", "l’été_2.5"]
    assert [(word.text, word.stem) for word in chinese.words] == [
        ("海", "海里"),
        ("里", ""),
        ("AI", "ai"),
        ("里", "里"),
    ]
    assert (hindi.length, chinese.length) == (2, 4)
    assert chinese.stems == {"海里", "ai", "里"}


def test_a_question_without_harakat_finds_the_sentence_that_has_them() -> None:
    reply = ask("كتب المدرس", "البيت كبير. كَتَبَ المُدَرِّسُ رِسَالَةً. الولد صغير.", unit="sentence")
    assert reply.value == "كَتَبَ المُدَرِّسُ رِسَالَةً."


@pytest.mark.parametrize("unit", ["auto", "span"])
def test_the_number_of_a_clause_or_of_an_item_is_not_the_answer(unit: str) -> None:
    assert ask("How much is the rent?", LEASE, unit=unit).value == "900"
