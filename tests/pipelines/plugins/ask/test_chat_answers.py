"""Questions to chat models behind a server: the requests, and the answers made of the replies."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import chunkers
import pipelines
import retrievers
from longdoc.errors import UserError
from longdoc.registry import describe
from pipelines.plugins.ask.answer import Answer
from pipelines.plugins.ask.answer_content import Citation
from pipelines.plugins.ask.question_plan import question_plan
from pipelines.prompts.ask_words import NOT_FOUND_TEXT
from pipelines.records import Document
from tests import api_server, tiny_models
from tests.api_server import ApiServer, message, text_block
from tests.pipelines.documents import small_files

chat = partial(api_server.chat, usage=None)  # a server that counts no tokens
TFIDF: Any = {"retriever": "tfidf"}  # so that the order of passages is this one, whatever the default ranks
LONGER = "max_new_tokens=1024; on the command line --max-new-tokens 1024"


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server() -> Iterator[ApiServer]:
    """A server that repeats what it was sent."""
    server = ApiServer(lambda request, times: chat(request.prompt))
    yield server
    server.close()


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    (folder / "deep").mkdir(parents=True)
    (folder / "bees.txt").write_text("Anna Berg keeps the bees.\n", encoding="utf-8")
    (folder / "clocks.md").write_text("# Town\n\nBert Lund keeps the clocks [12].\n", encoding="utf-8")
    (folder / "deep" / "film.srt").write_text("1\n00:12:33,000 --> 00:12:34,000\nDora Sand keeps a kite.\n", "utf-8")
    small_files.pdf(folder / "bread.pdf", [["Fair weather."], ["Emil Holm keeps the bread."]])
    small_files.epub(folder / "deep" / "wine.epub", {"a.xhtml": "<h1>Loomings</h1><p>Frida Wolf keeps the wine.</p>"})
    return folder


def ask(
    server: ApiServer, corpus: Any, reply: Any = None, question: str = "Who keeps the bees?", **more: Any
) -> Answer:
    if reply is not None:
        server.answer = lambda request, times: reply if not isinstance(reply, str) else chat(reply)
    return pipelines.ask(corpus, question, **{"model": f"openai:m,base_url={server.url}", **TFIDF, **more})


def test_the_prompt_holds_rules_numbered_passages_and_the_question(server: ApiServer, corpus: Path) -> None:
    answer = ask(server, corpus)
    (request,) = server.received
    assert request.body["max_tokens"] == 512
    rules, end, question = request.prompt.partition("=== end of the passages ===\n\n")
    assert end
    assert question == "Question: Who keeps the bees?\nAnswer:"
    assert [line for line in rules.splitlines() if line.startswith("=== ")] == [
        "=== [1] bees.txt, line 1 ===",
        "=== [2] deep/wine.epub, chapter Loomings ===",
        "=== [3] bread.pdf, pages 1–2 ===",
        "=== [4] clocks.md, line 1, section Town ===",
        "=== [5] deep/film.srt, 00:12:33 ===",
    ]
    assert f"word for word: {NOT_FOUND_TEXT} Then" in rules
    assert [Path(passage.file or "").name for passage in answer.passages] == [
        "bees.txt", "wine.epub", "bread.pdf", "clocks.md", "film.srt",
    ]  # fmt: skip
    for number, passage in enumerate(answer.passages, 1):
        assert f"\n=== [{number}] " in rules.split(passage.text)[0]


def test_the_prompt_can_be_seen_without_a_server(server: ApiServer, corpus: Path) -> None:
    ask(server, corpus, k=2)
    index = pipelines.index(corpus, model="openai:m", **TFIDF)
    prompt = index.prompt("Who keeps the bees?", k=2)
    assert prompt.text == server.prompts[0]
    assert prompt.tokens > 200
    with pytest.raises(UserError, match="reads no prompt: give a model"):
        index.prompt("Who keeps the bees?", model="none")


def test_citations_are_resolved_to_file_and_place(server: ApiServer, corpus: Path) -> None:
    answer = ask(server, corpus, "Emil Holm the bread [3], Anna Berg the bees [1][3].")
    assert answer.citations == (
        Citation(3, str(corpus / "bread.pdf"), "pages 1–2"),
        Citation(1, str(corpus / "bees.txt"), "line 1"),
    )
    assert answer.warnings == ()
    lines = str(answer).splitlines()
    assert [line for line in lines if line.startswith("[")] == [
        f"[3] {corpus}/bread.pdf, pages 1–2",
        f"[1] {corpus}/bees.txt, line 1",
    ]
    places = ("[2] wine.epub, chapter Loomings", "[4] clocks.md, line 1, section Town", "[5] film.srt, 00:12:33")
    assert lines[-1].replace(f"{corpus}/deep/", "").replace(f"{corpus}/", "") == f"Not cited: {'; '.join(places)}"
    assert answer.plain(full=True).count("characters") == 5
    assert json.loads(json.dumps(answer.to_dict()))["citations"][1] == {
        "number": 1,
        "file": str(corpus / "bees.txt"),
        "location": "line 1",
    }


def test_wrong_numbers_are_named(server: ApiServer, corpus: Path) -> None:
    answer = ask(server, corpus, "Anna [1], Tom [9], the clocks [12], and [6-8].")
    assert [citation.number for citation in answer.citations] == [1]
    assert answer.warnings == ("the answer cites [9], [6-8], but only 5 passages were shown",)
    assert ask(server, corpus, "Anna [2].", k=1).warnings == (
        "the answer cites [2], but only 1 passage was shown",
        "the answer cites no passage: check it against the passages",
    )


def test_an_answer_that_the_passages_do_not_have_is_reported(server: ApiServer, corpus: Path) -> None:
    answer = ask(server, corpus, f"{NOT_FOUND_TEXT} They name bees alone [1].", k=3)
    assert (answer.found, answer.text) == (False, f"{NOT_FOUND_TEXT} They name bees alone [1].")
    assert (answer.outputs, [citation.number for citation in answer.citations]) == ({}, [1])
    assert answer.warnings == (
        "the model found no answer in the 3 passages it was shown: use words of the documents, or show it more "
        "passages (k=6; on the command line -k 6)",
    )
    assert ask(server, corpus, "Anna [1].").found


def test_citations_alone_are_no_answer(server: ApiServer, corpus: Path) -> None:
    answer = ask(server, corpus, "[2][5]")
    assert (answer.found, answer.text, [citation.number for citation in answer.citations]) == (False, "[2][5]", [2, 5])
    assert answer.warnings == ("the answer is only passage numbers: read those passages, or ask another model",)


def test_special_tokens_in_an_answer_are_named(server: ApiServer, corpus: Path) -> None:
    answer = ask(server, corpus, "Anna [1].<|im_end|>")
    assert answer.warnings == ("the answer contains <|im_end|>: check the model's chat template",)


def test_numbers_and_dates_that_no_cited_passage_has_are_named(server: ApiServer, corpus: Path) -> None:
    answer = ask(server, corpus, "Anna keeps 12 bees since May 1987 [1].", "Who keeps 12 bees?")
    assert answer.found
    assert answer.warnings == ("the cited passages do not contain May, 1987: the model computed them or made them up",)
    assert ask(server, corpus, "Dora keeps a kite [5], 33 in all.").warnings == ()  # of the place, 00:12:33
    assert ask(server, corpus, "Dora keeps 34 kites [5].").warnings == (
        "the cited passages do not contain 34: the model computed it or made it up",
    )
    assert ask(server, corpus, "Anna, since 1987.").warnings == (
        "the answer cites no passage: check it against the passages",
    )


@pytest.mark.parametrize(
    ("reply", "warning"),
    [
        (
            chat("Anna Berg [1] and", finish="length"),
            f"the answer was cut at 512 tokens: allow more ({LONGER})",
        ),
        (
            chat("<think>Let me see [4]", finish="length"),
            "the answer is empty: the model used all 512 tokens for thinking; allow more, such as thinking=2048 "
            "in model= (on the command line --model MODEL,thinking=2048)",
        ),
        (
            chat("", finish="length"),
            f"the answer is empty: the model used all 512 tokens before it came to an answer; allow more ({LONGER})",
        ),
        (
            chat("I cannot [1].", finish="content_filter"),
            "the answer was refused by the model: ask in other words, or ask another model",
        ),
        (
            chat("I cannot.", finish="content_filter"),
            "the answer was refused by the model: ask in other words, or ask another model",
        ),
        (chat(""), "the answer is empty: the model wrote nothing"),
        (chat("<think>Is it [4]?</think>Anna [1]."), ""),
        (chat("Anna keeps them."), "the answer cites no passage: check it against the passages"),
    ],
)
def test_cut_empty_and_refused_answers_have_a_warning(
    server: ApiServer, corpus: Path, reply: Any, warning: str
) -> None:
    answer = ask(server, corpus, reply)
    assert "; ".join(answer.warnings) == warning
    assert answer.found
    assert {citation.number for citation in answer.citations} <= {1}


def test_an_anthropic_server_gets_the_same_prompt(
    server: ApiServer, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(server, corpus)
    server.answer = lambda request, times: message(text_block("Anna Berg [1]."), stop="max_tokens", usage=(400, 4))
    answer = pipelines.ask(corpus, "Who keeps the bees?", model=f"anthropic:m,base_url={server.url}", **TFIDF)
    assert server.prompts[0] == server.prompts[1]
    assert server.received[1].body["max_tokens"] == 512
    assert [citation.number for citation in answer.citations] == [1]
    assert "cut at 512 tokens" in answer.warnings[0]


def test_without_a_key_or_a_server_one_line_says_what_to_set(corpus: Path) -> None:
    with pytest.raises(UserError, match=r"^the reader openai needs a key: export OPENAI_API_KEY=KEY$"):
        pipelines.ask(corpus, "Who?", model="openai:m")
    with pytest.raises(UserError, match=r"^the reader anthropic needs a key: export ANTHROPIC_API_KEY=KEY$"):
        pipelines.ask(corpus, "Who?", model="anthropic:m")
    with pytest.raises(
        UserError, match=r"127.0.0.1:9 failed: .* \(does the server run, and is base_url its address\?\)$"
    ):
        pipelines.ask(corpus, "Who?", model="openai:m,base_url=http://127.0.0.1:9,max_retries=0")


def labels(prompt: str) -> list[str]:
    return [line for line in prompt.splitlines() if line.startswith("=== [") and "NUMBER" not in line]


def test_strategies_that_show_passages_one_by_one_show_the_answers_numbers(server: ApiServer, corpus: Path) -> None:
    server.answer = lambda request, times: chat(
        f"Anna [{labels(request.prompt)[0][5]}]." if labels(request.prompt) else "Both [1][3]."
    )
    answer = ask(server, corpus, strategy="map_reduce", k=3, order="document")
    assert sorted(label for prompt in server.prompts for label in labels(prompt)) == [
        "=== [1] bees.txt, line 1 ===",
        "=== [2] bread.pdf, pages 1–2 ===",
        "=== [3] deep/wine.epub, chapter Loomings ===",
    ]
    assert (
        "=== note ===\nAnna [1].\n\n=== note ===\nAnna [2].\n\n=== note ===\nAnna [3].\n\n=== end of"
        in server.prompts[-1]
    )
    assert [citation.number for citation in answer.citations] == [1, 3]
    assert [Path(passage.file or "").name for passage in answer.passages] == ["bees.txt", "bread.pdf", "wine.epub"]


def test_passages_that_do_not_answer_are_left_out_of_the_combined_answer(server: ApiServer, corpus: Path) -> None:
    server.answer = lambda request, times: chat("Anna [1]." if "bees.txt" in request.prompt else NOT_FOUND_TEXT)
    answer = ask(server, corpus, strategy="map_reduce")
    assert (answer.text, answer.found, len(server.received)) == ("Anna [1].", True, 5)
    nowhere = ask(server, corpus, NOT_FOUND_TEXT, strategy="map_reduce")
    assert (nowhere.text, nowhere.found) == (NOT_FOUND_TEXT, False)


def test_refine_keeps_the_answer_where_a_passage_does_not_answer(server: ApiServer, corpus: Path) -> None:
    server.answer = lambda request, times: chat("Anna [1]." if "bees.txt" in request.prompt else NOT_FOUND_TEXT)
    answer = ask(server, corpus, strategy="refine")
    assert (answer.text, answer.found) == ("Anna [1].", True)
    assert any("Answer so far: Anna [1].\n=== [" in prompt for prompt in server.prompts)


def test_votes_compare_answers_without_citations_and_cite_all_that_agree(server: ApiServer, corpus: Path) -> None:
    server.answer = lambda request, times: chat(
        f"{'Tom' if 'wine' in request.prompt else 'Anna Berg'} [{labels(request.prompt)[0][5]}]"
    )
    answer = ask(server, corpus, strategy="vote", k=4)
    assert answer.text == "Anna Berg"
    assert [citation.number for citation in answer.citations] == [1, 3, 4]


def test_passages_of_a_further_search_have_the_next_numbers(server: ApiServer, corpus: Path) -> None:
    server.answer = lambda request, times: chat("the kite of Dora Sand [3]")
    answer = ask(server, corpus, strategy="iterative", k=2)
    first, last = ({label[5]: label[8:] for label in labels(prompt)} for prompt in server.prompts)
    assert list(first) == ["1", "2"]
    assert sorted(last) == ["1", "2", "3", "4"]
    assert first.items() <= last.items()
    for number, passage in enumerate(answer.passages, 1):
        assert Path(passage.file or "").name in last[str(number)]
    assert [Path(citation.file or "").name for citation in answer.citations] == ["film.srt"]


def test_a_passage_that_does_not_fit_keeps_its_number_and_is_marked(server: ApiServer, corpus: Path) -> None:
    (corpus / "bees.txt").write_text("The bees are kept by Anna Berg. " * 5, encoding="utf-8")
    tokens = pipelines.index(corpus, model="openai:m", k=5, **TFIDF).prompt("Who keeps the bees?").tokens
    answer = ask(
        server,
        corpus,
        "Anna [1], Frida [5].",
        k=5,
        model=f"openai:m,base_url={server.url},max_input_tokens={tokens - 15}",
    )
    assert [passage.shown for passage in answer.passages] == [True, True, True, True, False]
    assert [citation.number for citation in answer.citations] == [1]
    assert len(labels(server.prompts[0])) == 4
    assert answer.warnings[0].endswith(f"did not fit into a prompt of {tokens - 15} tokens: [5] was not read")
    assert answer.warnings[1] == "the answer cites [5], but only 4 passages were shown"
    assert "00:12:33, not read" in str(answer)


def test_an_own_prompt_is_kept_and_has_the_same_passages(server: ApiServer, corpus: Path) -> None:
    answer = ask(server, corpus, "Anna.", prompt="Q: {query}\n{document}\nA:", k=1, max_new_tokens=9)
    assert server.prompts == [
        "Q: Who keeps the bees?\n=== [1] bees.txt, line 1 ===\nAnna Berg keeps the bees.\n\n"
        "=== end of the passages ===\nA:"
    ]
    assert (server.received[0].body["max_tokens"], answer.warnings) == (9, ())


@pytest.mark.parametrize(
    ("prompt", "error"),
    [
        ("row", "prompt='row' needs rows with prompts"),
        ("document", r"the prompt 'document' has no"),
        ("chats", "unknown form of prompt 'chats'; did you mean chat"),
        ("{document}", r"has no \{query\}: give a template like"),
        ("chat", r"the prompt 'chat' has no"),
        ("{query}", r"must contain \{document\} exactly once, as in '\{query\} \{document\}'; got '\{query\}'$"),
        ("{query} {documents} {document}", "unknown part of a prompt template 'documents'"),
    ],
)
def test_a_prompt_without_question_or_passages_is_refused(corpus: Path, prompt: str, error: str) -> None:
    with pytest.raises(UserError, match=error):
        pipelines.ask(corpus, "Who?", model="openai:m", prompt=prompt)


def test_a_selection_by_budget_is_numbered_too(server: ApiServer, corpus: Path) -> None:
    ask(server, corpus, budget="9 words", chunker="units:of=sentence")
    ask(server, corpus, budget="250 tokens")
    assert [len(labels(prompt)) for prompt in server.prompts] == [2, 3]
    assert (
        pipelines.index(corpus, model="openai:m", budget="270 tokens", **TFIDF).prompt("Who keeps the bees?").tokens
        <= 270
    )


@pytest.mark.parametrize(("window", "length"), [(8000, 512), (2048, 384), (1200, 214)])
def test_a_small_window_leaves_a_shorter_answer(server: ApiServer, corpus: Path, window: int, length: int) -> None:
    pipelines.ask(corpus, "Who keeps the bees?", model=f"openai:m,base_url={server.url},window={window}", k=1)
    assert server.received[0].body["max_tokens"] == length


def test_an_index_asks_each_question_with_numbers_of_its_own(server: ApiServer, corpus: Path) -> None:
    index = pipelines.index(corpus, model=f"openai:m,base_url={server.url}", k=1)
    for question, file in (("Who keeps the bees?", "bees.txt"), ("Who keeps the bread?", "bread.pdf")):
        answer = index.ask(question)
        assert Path(answer.passages[0].file or "").name == file
        assert labels(server.prompts[-1])[0].startswith(f"=== [1] {file}, ")


def test_records_without_files_are_named_by_title(server: ApiServer) -> None:
    ask(server, [Document("a", "Anna keeps the bees.", "Bees"), Document("b", "Tom keeps the mill.")])
    assert labels(server.prompts[0]) == ["=== [1] Bees, line 1 ===", "=== [2], line 1 ==="]


def test_local_decoders_get_the_prompt_for_their_template(corpus: Path, tmp_path: Path) -> None:
    with_template = tiny_models.qwen(new_folder(tmp_path / "qwen"), max_position_embeddings=4096)
    without = tiny_models.llama(new_folder(tmp_path / "llama"), max_position_embeddings=4096)
    index = pipelines.index(corpus, k=2, **TFIDF)
    chat_prompt = index.prompt("Who keeps the bees?", model=str(with_template)).text
    assert labels(chat_prompt) == ["=== [1] bees.txt, line 1 ===", "=== [2] deep/wine.epub, chapter Loomings ==="]
    assert index.prompt("Who keeps the bees?", model=str(without)).text == (
        "Who keeps the bees? \nbees.txt:\nAnna Berg keeps the bees.\n\n"
        "deep/wine.epub:\nLoomings\n\nFrida Wolf keeps the wine."
    )
    plain = index.prompt("Who keeps the bees?", model={"name": "causal", "model": str(with_template), "chat": False})
    assert plain.text.startswith("Who keeps the bees? \nbees.txt:\n")
    lengths = {
        name: question_plan({"model": str(model)}).max_new_tokens
        for name, model in (("chat", with_template), ("base", without))
    }
    assert lengths == {"chat": 512, "base": 64}


def new_folder(folder: Path) -> Path:
    folder.mkdir()
    return folder


@pytest.mark.parametrize("model", ["openai:m", "extractive", "none"])
def test_passages_are_ranked_alike_whatever_reads_them(model: str) -> None:
    plan = question_plan({"model": model})
    assert plan.chunker == chunkers.get("sentences:size=200")
    assert describe(plan.retriever) == describe(retrievers.get("best:encoder=none"))
    assert question_plan({"model": model, "retriever": "first"}).retriever == retrievers.get("first")


def test_a_limit_that_the_rules_alone_fill_is_refused_with_what_to_raise(server: ApiServer, corpus: Path) -> None:
    expected = (
        r"^question and instructions alone take \d+ tokens, the limit is 100: raise max_input_tokens or the model's"
    )
    with pytest.raises(UserError, match=expected):
        ask(server, corpus, model=f"openai:m,base_url={server.url},max_input_tokens=100")
    with pytest.raises(UserError, match=expected):
        pipelines.index(corpus, model="openai:m,max_input_tokens=100").prompt("Who keeps the bees?")
    assert server.received == []


def test_a_prompt_that_the_server_cuts_gives_a_warning(server: ApiServer, tmp_path: Path) -> None:
    book = tmp_path / "book.txt"
    book.write_text("\n\n".join(f"Anna keeps bee {n} by the river at the mill." for n in range(1000)))
    arguments: Any = {"k": 100, "retriever": "first"}
    cut = ask(server, book, chat("Anna [1].", usage=(600, 4)), **arguments)
    (warning,) = [one for one in cut.warnings if "unseen" in one]
    assert warning.startswith("the server read 600 of about ")
    assert "tokens in 1 prompt, and cut the rest unseen. Give the server's window" in warning
    uncut = ask(server, book, chat("Anna [1].", usage=(6000, 4)), **arguments)
    assert [one for one in uncut.warnings if "unseen" in one] == []
