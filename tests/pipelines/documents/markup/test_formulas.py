"""Formulas on one line."""

from lxml import etree

from pipelines.documents.markup.formulas import Formula, mathml, root, word


def line(source: str, combine=mathml, attributes=None) -> str:
    formula = Formula(combine)
    for event, element in etree.iterwalk(etree.fromstring(f"<x>{source}</x>"), events=("start", "end")):
        if element.tag == "x":
            continue
        if event == "start":
            formula.start(element.tag, dict(element.attrib))
            formula.data(element.text or "")
        else:
            formula.end()
    return formula.text


def test_mathml_is_read_once_and_no_number_changes() -> None:
    for source, text in (
        ("<mfrac><mn>3</mn><mn>4</mn></mfrac>", "3/4"),
        ("<mrow><mn>2</mn><mfrac><mn>3</mn><mn>4</mn></mfrac></mrow>", "2 3/4"),
        ("<semantics><msup><mn>10</mn><mn>5</mn></msup><annotation>10^{5}</annotation></semantics>", "10^5"),
        ("<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac>", "(a + b)/2"),
        ("<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup><mi>y</mi>", "x_i^2 y"),
        ("<msqrt><mi>y</mi><mo>-</mo><mn>1</mn></msqrt>", "√(y - 1)"),
        ("<mroot><mn>8</mn><mn>3</mn></mroot>", "∛8"),
        ("<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>i</mi>",
         "∑_(i = 1)^n i"),
        ("<mover><mi>x</mi><mo>¯</mo></mover>", "x̄"),
        ("<mi>x</mi><mo>=</mo><mo>-</mo><mn>5</mn>", "x = -5"),
        ("<mn>2</mn><mo>\u2062</mo><mi>x</mi>", "2x"),
        ("<mphantom><mn>9</mn></mphantom><mn>1</mn>", "1"),
        ("<mfenced open='['><mn>1</mn><mn>2</mn></mfenced>", "[1, 2)"),
        ("<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd></mtr></mtable>",
         "1, 2; 3"),
        ("<mi>sin</mi><mi>x</mi>", "sin x"),
    ):  # fmt: skip
        assert line(source) == text


def test_words_formulas_are_read_as_mathml_is() -> None:
    for source, text in (
        ("<f><num><t>3</t></num><den><t>4</t></den></f>", "3/4"),
        ("<sSup><e><t>10</t></e><sup><t>5</t></sup></sSup>", "10^5"),
        ("<rad><deg/><e><t>2</t></e></rad>", "√2"),
        ("<nary chr='∑'><sub><t>i=1</t></sub><sup><t>n</t></sup><e><t>i</t></e></nary>", "∑_(i=1)^n i"),
        ("<d><e><t>a</t></e></d>", "(a)"),
        ("<sPre><sub><t>6</t></sub><sup><t>14</t></sup><e><t>C</t></e></sPre>", "^14_6C"),
        ("<func><fName><t>sin</t></fName><e><t>x</t></e></func>", "sin x"),
    ):
        assert line(source, word) == text


def test_a_root_of_a_strange_degree_is_named() -> None:
    assert root("x + 1", "7") == "root(7, x + 1)"


def test_many_elements_in_each_other_take_no_long_text() -> None:
    deep = "<msup><mi>x</mi>" * 200 + "<mn>1</mn>" + "</msup>" * 200
    assert line(deep).count("x") == 200
    assert len(line("<mrow>" * 150 + "<mn>12345</mn>" * 3_000 + "</mrow>" * 150)) == 3_000 * 6 - 1
