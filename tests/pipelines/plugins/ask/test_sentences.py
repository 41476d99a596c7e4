import pytest

from pipelines.plugins.ask.line_kinds import Kind, is_ended, line_kinds
from pipelines.plugins.ask.sentences import LONG, headed_sentences, heading_above
from tests.turns import for_each


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Bees hum. Ships sail.", ["Bees hum.", "Ships sail."]),
        ("Bees hum all day. The keeper\nof the bees is Anna. Ships\nsail.",
         ["Bees hum all day.", "The keeper\nof the bees is Anna.", "Ships\nsail."]),
        ("Carl Mond\nHe was born in Turin, and lived there.", ["He was born in Turin, and lived there."]),
        ("Rent: 900\nEnd: May\nPets: with consent of all", ["Rent: 900", "End: May", "Pets: with consent of all"]),
        ("# Lisbon\n\nThe room is\n\nsmall.", ["The room is", "small."]),
        ("# Lisbon", ["# Lisbon"]),
        ("Er kam am 1. Mai 2024. Am 3. Die Miete stieg.", ["Er kam am 1. Mai 2024.", "Am 3.", "Die Miete stieg."]),
        ("今天天气很好。船长来了。", ["今天天气很好。", "船长来了。"]),
        ("| Firm | Price |\n| --- | --- |\n| Bay Ltd. Marine | 298,000 kr. | 7 weeks |",
         ["| Bay Ltd. Marine | 298,000 kr. | 7 weeks |"]),
        (" \n ", []),
        ("", []),
    ],
)  # fmt: skip
def test_sentences_end_at_blank_lines_and_at_line_breaks_that_are_no_wrapping(text: str, sentences: list[str]) -> None:
    assert [text[slice(*sentence.span)] for sentence in headed_sentences(text)] == sentences


@for_each(
    "sentence",
    [
        "Rights acc. to Annex C stay, cf. No. 3.2 of the Guide and Sched. B.",
        "Under Art. 9, para. 2 of the Act it may stay.",
        "Ended sooner under Art. 9, para. 2 lit. b, it runs for four years.",
        "Boats, incl. The Swan, and Cllrs. Bray and Nance of Nes, pop. 310, are here.",
        "Vgl. § 5 Abs. 2 der Ordnung, Tel. 0551 / 40, bzw. Herr Dipl.-Ing. Petersen.",
        "Add 1 tsp. Caraway to it.",
    ],
)  # fmt: skip
def test_no_sentence_ends_at_an_abbreviation(sentence: str) -> None:
    text = f"{sentence} It ends."
    assert [text[slice(*one.span)] for one in headed_sentences(text)] == [sentence, "It ends."]


def test_lines_of_logs_tables_settings_and_code_are_not_joined() -> None:
    cases: tuple[tuple[str, list[str]], ...] = (
        ("[08:14:02] agent-5 checkout of the branch\n[08:14:09] agent-5 restored\n[08:14:31] agent-5 done",
         ["[08:14:02] agent-5 checkout of the branch", "[08:14:09] agent-5 restored", "[08:14:31] agent-5 done"]),
        ("name,stock,price\nHex bolt M8,1240,0.12\nFloat switch for tanks,14,23.50",
         ["Hex bolt M8,1240,0.12", "Float switch for tanks,14,23.50"]),
        ("[alarm]\nemail = a@example.org\nwind_limit = 24 m/s", ["email = a@example.org", "wind_limit = 24 m/s"]),
        ("; how often it sends, in s\ninterval = 120", ["; how often it sends, in s\ninterval = 120"]),
        ("// Higher ones are run first.\nadd(job) {\n}", ["// Higher ones are run first.", "add(job) {"]),
        ("# raw files are left out\nskip=RAW", ["# raw files are left out", "skip=RAW"]),
        ("**Too sour.** It stood too long.", ["It stood too long."]),
    )  # fmt: skip
    for text, sentences in cases:
        assert [text[slice(*one.span)] for one in headed_sentences(text)] == sentences, text


def test_a_very_long_sentence_is_split_at_the_full_stops_inside() -> None:
    speech = " ".join(f"We said number {number}." for number in range(LONG))
    assert len(headed_sentences(f"\u201c{speech}\u201d he said.")) > 50


@for_each(
    ("text", "sentences"),
    [
        ("Warranty\nWe repair it for two years.\nCare\nRinse it twice.",
         [("We repair it for two years.", "Warranty"), ("Rinse it twice.", "Care")]),
        ("## Warranty\n\nWe repair it for two years.\n\nReturns", [("We repair it for two years.", "## Warranty")]),
        ("Article 4 – Garantie\nLe locataire verse une caution.",
         [("Le locataire verse une caution.", "Article 4 – Garantie")]),
        ("4. Notice. Either party may end it.", [("Either party may end it.", "4. Notice.")]),
        ("How long is the warranty?\n\nTwo years.", [("Two years.", "How long is the warranty?")]),
        ("It does not switch on\n\nCheck the base.", [("Check the base.", "It does not switch on")]),
        ("Annual report 2024\n\nSales rose.", [("Sales rose.", "Annual report 2024")]),
        ("| Part | Price |\n| --- | --- |\n| Lid | 4 euros |\n| Base | 9 euros |",
         [("| Lid | 4 euros |", "| Part | Price |"), ("| Base | 9 euros |", "| Part | Price |")]),
        ("Data\nPower\t2200 W\nCable length\t0.75 m", [("Power\t2200 W", "Data"), ("Cable length\t0.75 m", "Data")]),
        ("Equity 28,760,000 20,807,000\nIt rose.", [("Equity 28,760,000 20,807,000", ""), ("It rose.", "")]),
        ("It covers\n- the motor\n- the lid\nIt lasts.",
         [("- the motor", "It covers"), ("- the lid", "It covers"), ("It lasts.", "It covers")]),
        ("## Supplier\n\nNordlicht\n\n## Term\n\nIt ends in May.",
         [("Nordlicht", "## Supplier"), ("It ends in May.", "## Term")]),
        ("Warranty and returns ........ 12\nIt lasts.", [("It lasts.", "Warranty and returns ........ 12")]),
        ("The keeper is Anna\nThe ship is green", [("The keeper is Anna", ""), ("The ship is green", "")]),
        ("保修\n我们维修两年。", [("我们维修两年。", "保修")]),
        ("Warranty\nReturns", [("Warranty", ""), ("Returns", "")]),
        ("NORDLICHT SHIPPING, INC.\n\nIt ships.", [("It ships.", "NORDLICHT SHIPPING, INC.")]),
        ("Notice period: three months\n\nIt ships.", [("Notice period: three months", ""), ("It ships.", "")]),
        ("He will not feel as you do at present: the\nBergen ship left on 3 May 1920 with Captain\nMiggs, to sea.",
         [("He will not feel as you do at present: the\nBergen ship left on 3 May 1920 with Captain\n"
           "Miggs, to sea.", "")]),
        ("Equity of all the years 28,760,000\nIt rose in each year.",
         [("Equity of all the years 28,760,000", ""), ("It rose in each year.", "")]),
    ],
)  # fmt: skip
def test_headings_belong_to_what_follows_and_are_no_sentences(text: str, sentences: list[tuple[str, str]]) -> None:
    headed = headed_sentences(text)
    pairs = [(text[slice(*one.span)], " ".join(text[slice(*span)] for span in one.headings)) for one in headed]
    assert pairs == sentences


@pytest.mark.parametrize(
    ("line", "ended"),
    [
        ("Anna keeps the bees. 🐝", True),
        ("Anna keeps the bees.[3]", True),
        ("Anna keeps the bees.12", True),
        ("“Anna keeps the bees.”", True),
        ("(Anna keeps the bees.)", True),
        ("Anna keeps the bees,", True),
        ("Anna keeps the bees:", False),
        ("Version 1.12", False),
        ("| Nr. | Preis |", False),
        ("Anna keeps the bees", False),
        ("", False),
    ],
)
def test_a_line_ends_as_a_sentence_also_before_marks_and_footnotes(line: str, ended: bool) -> None:
    assert is_ended(line) is ended


def test_lines_do_not_end_as_sentences_do() -> None:
    assert [one.is_line for one in headed_sentences("Ships sail.\nRent: 900\nIt is due.")] == [False, True, False]


@pytest.mark.parametrize(
    ("before", "passage", "heading"),
    [
        ("Care\nRinse it.\n\nWarranty\n", "Two years.", "Warranty"),
        ("## Care\n\nRinse it. It is", " a kettle.", "## Care"),
        ("## Care\n\n", "Rinse it.\n\n## Warranty\n\nTwo years.", "## Care"),
        ("Rinse it. ", "It boils.", ""),
        ("", "## Care\n\nRinse it.", ""),
        (" ", " ", ""),
    ],
)
def test_the_heading_above_is_the_last_before_the_position(before: str, passage: str, heading: str) -> None:
    assert heading_above(before + passage, len(before)) == heading


def test_numbered_lines_in_a_row_are_a_list() -> None:
    steps = ["Steps", "1. Open the lid", "2. Fill the kettle", "Wait a little."]
    assert line_kinds([steps, ["1. Warranty"], ["Two years."]]) == [
        [Kind.BARE, Kind.ROW, Kind.ROW, Kind.SENTENCE],
        [Kind.BARE],
        [Kind.SENTENCE],
    ]
