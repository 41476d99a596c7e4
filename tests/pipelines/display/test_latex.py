"""LaTeX: the exact text, a strict reading of it, and pdfLaTeX itself where there is one."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines.display.latex import table_latex
from pipelines.results.reports import content, report_content
from tests.pipelines.results.reports import small_ablation

HOSTILE = '\\ { } $ & # % _ ^ ~ < > | " ` [x] * -- --- – — … → Δ ± × − \ufffd \\end{table} \\input{x}'
TABLE = r"""% needs \usepackage{booktabs}
% failed: retriever=bm25|$x,k=5: =1+1 <b> & 50% of_it
% warning: 9 documents are few
\begin{table}[tb]
\centering
\caption{Scores on narrativeqa (test).}
\label{tab:narrativeqa-test}
\footnotesize\setlength{\tabcolsep}{3pt}
\begin{tabular}{lrrrrrrr}
\toprule
retriever & k & f1 & $\Delta$ f1 & bleu-1 & no\_letter & tokens shown & cost \\
\midrule
tf\_idf & 1 & 8.00 [6.50, 10.00]* & baseline & 7.00 & 2.00 & 200 & 0.001 \\
tf\_idf & 5 & \textbf{9.25} [7.75, 11.25]* & $+$1.25 ($p=0.012$) & \textbf{8.25} & 2.00 & 1,000 & 0.005 \\
bm25\textbar{}\$x & 1 & 7.50 [6.00, 9.50]* & $-$0.50 ($p<0.001$) & 6.50 & 2.00 & 200 & 0.001 \\
bm25\textbar{}\$x & 5 & failed & -- & -- & -- & -- & -- \\
\bottomrule
\end{tabular}
\par\smallskip
\begin{minipage}{\linewidth}
\footnotesize\raggedright
{[}low, high{]}: 95\% bootstrap interval, 1,000 resamples by document\par
{*} fewer than 10 documents: such an interval is too narrow\par
$\Delta$: less the baseline, retriever=tf\_idf,k=1; p two-sided, after Holm's correction\par
f1: f1\textbar{}\allowbreak{}tokens:\textbackslash{}w+\par
bleu-1: bleu-1\textbar{}\allowbreak{}smooth:none\par
\end{minipage}
\end{table}
"""


def hostile() -> Any:
    """Content whose every text tries to be LaTeX; the first setting opens a bracket behind a line's end."""
    cells = [small_ablation.cell(HOSTILE, 1, 8.0), small_ablation.cell("[2pt]", 5, 9.0, signatures={"f1": HOSTILE})]
    return content.gather(small_ablation.ablation(axes={}, cells=cells, warnings=(HOSTILE,)))


def latex_text(
    gathered: content.Content, scores: Sequence[str] | None = None, caption: str | None = None, **options: Any
) -> str:
    (table,) = gathered.tables(scores)
    return table_latex(table, caption or gathered.latex_caption(table), **options)


def test_an_ablation_is_a_booktabs_table_with_its_signatures_as_notes() -> None:
    assert latex_text(content.gather(small_ablation.ablation())) == TABLE


def test_margins_the_second_best_a_caption_and_a_label() -> None:
    shown = latex_text(
        content.gather(small_ablation.ablation()), None, "A & B", label="tab:x", bounds="margin", second=True
    ).splitlines()
    assert shown[5:7] == [r"\caption{A \& B}", r"\label{tab:x}"]
    row = r"tf\_idf & 1 & \underline{8.00} $\pm$ 1.75* & baseline & \underline{7.00} & 2.00 & 200 & 0.001 \\"
    assert shown[12] == row
    assert r"$\pm$ half of a 95\% bootstrap interval, 1,000 resamples by document\par" in shown
    without = latex_text(content.gather(small_ablation.ablation()), bounds="none")
    assert r"tf\_idf & 1 & 8.00 & baseline &" in without
    assert "interval" not in without


def test_the_caption_says_in_words_what_was_run_and_no_command_is_printed() -> None:
    cells = [
        small_ablation.cell(
            "bm25", 5, 8.0, not_computed={"meteor": "WordNet is missing: python -m nltk.downloader wordnet"}
        )
    ]
    gathered = replace(content.gather(small_ablation.ablation(axes={}, cells=cells)), part="limit=20")
    shown = latex_text(gathered).splitlines()
    assert r"\caption{Scores on narrativeqa (test, the first 20 examples), with retriever = bm25 and k = 5.}" in shown
    assert "% meteor: not computed: WordNet is missing: python -m nltk.downloader wordnet" in shown
    assert not any("nltk" in line for line in shown if not line.startswith("%"))


def test_a_wide_table_is_set_smaller() -> None:
    small = r"\footnotesize\setlength{\tabcolsep}{3pt}"
    assert small in latex_text(content.gather(small_ablation.ablation()))
    assert small not in latex_text(content.gather(small_ablation.ablation()), ["no_letter"], bounds="none")


def test_invalid_labels_and_unknown_bounds_are_refused() -> None:
    with pytest.raises(UserError, match="a label may have letters"):
        latex_text(content.gather(small_ablation.ablation()), label="tab:50%")
    with pytest.raises(UserError, match="bounds must be brackets, margin or none, got 'all'"):
        latex_text(content.gather(small_ablation.ablation()), bounds="all")


@pytest.mark.parametrize("bounds", ["brackets", "margin", "none"])
def test_a_strict_latex_parser_finds_no_error(bounds: Any) -> None:
    read_strictly(latex_text(content.gather(small_ablation.ablation()), bounds=bounds, second=True))
    read_strictly(latex_text(hostile(), bounds=bounds, caption=HOSTILE))


@pytest.mark.parametrize("fault", [r"50% of", "a_b", r"\textbf{x", r"x & y \\ [2pt] & z \\", r"\unknown", "→", "$x"])
def test_the_strict_latex_parser_finds_errors(fault: str) -> None:
    with pytest.raises(AssertionError):
        read_strictly(TABLE.replace("baseline", fault))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex on this machine")
def test_pdflatex_compiles_the_table(tmp_path: Path) -> None:
    body = latex_text(content.gather(small_ablation.ablation())) + latex_text(hostile(), caption=HOSTILE, label="tab:y")
    page = "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n" + body + "\\end{document}\n"
    (tmp_path / "page.tex").write_text(page, encoding="utf-8")
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "page.tex"]
    process = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stdout[-2000:]


COMMANDS = {
    "begin", "end", "centering", "caption", "label", "toprule", "midrule", "bottomrule", "par", "smallskip",
    "linewidth", "footnotesize", "raggedright", "allowbreak", "textbf", "underline", "textbar", "textless",
    "setlength", "tabcolsep", "textgreater", "textbackslash", "textasciicircum", "textasciitilde", "textasciigrave",
    "ldots", "rightarrow", "Delta", "pm", "times",
}  # fmt: skip
MATHS = {"rightarrow", "Delta", "pm", "times"}
TOKEN = re.compile(r"\\([A-Za-z]+)|\\(.)|%[^\n]*\n|(.)", re.DOTALL)


def read_strictly(text: str) -> None:
    """Braces and environments close, every command is known and where it may be, every row has all its columns."""
    assert text.startswith("% needs")
    depth, maths, columns = 0, False, 0
    text = "\n".join(line for line in text.split("\n") if not line.startswith("% "))
    for command, sign, plain in TOKEN.findall(text):
        assert not command or command in COMMANDS, command
        assert (command in MATHS) <= maths, f"{command} outside of a formula"
        assert not sign or sign in r"\{}$&#%_", sign
        assert command or sign or plain, "a comment"
        depth += {"{": 1, "}": -1}.get(plain, 0)
        assert depth >= 0
        maths ^= plain == "$"
        assert plain not in {"#", "_", "^", "~", '"', "`"}, plain
        assert plain not in {"<", ">", "|"} or maths, plain
        assert plain == "" or ord(plain) < 128, plain
    assert depth == 0
    assert not maths
    stack: list[str] = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", text):
        stack.append(name) if kind == "begin" else pop(stack, name)
    assert not stack
    columns = len(re.findall(r"\\begin\{tabular\}\{([lr]+)\}", text)[0])
    rows = text.partition("\\toprule")[2].partition("\\bottomrule")[0].replace("\\midrule", "").strip()
    for row in re.split(r"\\\\(?![A-Za-z])", rows)[:-1]:
        assert len(re.findall(r"(?<!\\)&", row)) == columns - 1, row
        assert not row.lstrip().startswith(("[", "*")), row
    assert rows.endswith("\\\\")


def pop(stack: list[str], name: str) -> None:
    assert stack, name
    assert stack.pop() == name


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("limit=20", "the first 20 examples"),
        ("sample=9 shard=1/3", "9 sampled examples, shard 1/3"),
        ("shard=2/3", "shard 2/3"),
        ("all", "all examples"),
    ],
)
def test_the_part_of_the_data_is_described_in_words(part: str, words: str) -> None:
    assert report_content._in_words(part) == words
