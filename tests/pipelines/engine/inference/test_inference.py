"""Strategies driven together: equal requests, batches, resuming by replay, failures of single examples."""

import threading
from dataclasses import dataclass, field, replace

import pytest

from chunkers import Chunk
from longdoc.errors import UserError
from models.apis.sending.concurrent import replies_in_order_of_arrival
from models.reader import Reader, StreamingReader
from models.requests import Compare, Fuse, Generate, Reply
from pipelines.engine.inference import reply_cache
from pipelines.engine.inference.inference import Inference
from pipelines.engine.inference.reply_cache import ReplyCache
from pipelines.engine.inference.request_queue import RequestQueue
from pipelines.engine.inference.session import NoLog, Session
from pipelines.engine.recording.journal import Journal
from pipelines.engine.recording.lines import records
from pipelines.engine.recording.request_log import check
from pipelines.prompts.template import Template
from pipelines.records import Document, Example
from pipelines.strategies import Job, Retrieve
from tests import patience

TEXT = "alpha beta gamma delta epsilon zeta"
CHUNKS = [Chunk("alpha beta", 0, 10), Chunk("gamma delta", 11, 22), Chunk("epsilon zeta", 23, 35)]


@dataclass
class Echo(Reader):
    """Answers with the number of words of the prompt and remembers its calls."""

    supports = frozenset({Generate})
    max_input_tokens: int | None = None
    calls: list = field(default_factory=list)
    refuses: str = "\0"

    def count(self, texts):
        return [len(text.split()) for text in texts]

    def reply(self, requests):
        self.calls.append([request.prompt.text for request in requests])
        return [self.reply_to(request) for request in requests]

    def reply_to(self, request):
        text = request.prompt.text
        if self.refuses in text:
            return Reply(None, error="too hard", finish_reason="error")
        return Reply(
            str(len(text.split())),
            tokens_in=len(text.split()),
            tokens_out=1,
            truncated_tokens=request.prompt.truncated_tokens,
        )


def stuff(job):
    (answer,) = yield [Generate(job.prompt(job.selected), job.length)]
    return answer


def two_rounds(job):
    parts = yield [Generate(job.prompt(chunk), job.length) for chunk in job.chunks]
    more = yield Retrieve("again " + parts[0], 1)
    (answer,) = yield [Generate(job.prompt([*parts, more[0]]), job.length)]
    return "+".join([*parts, answer])


def job(name, query="q", selected=CHUNKS):
    example = Example(name, Document("d", TEXT), query)
    ranks = {chunk.start: rank for rank, chunk in enumerate(selected)}
    return Job(example, CHUNKS, selected, ranks, 5, Template("{query} {document}"), lambda q, k, before: CHUNKS[2:][:k])


def run(strategy, jobs, reader, limit=None, log=None):
    inference = Inference(reader, [Session(strategy, reader, limit, "echo", log)])
    return {active.job.example.id: active.prediction or active.failure for active in inference.run(jobs)}, inference


class Memory:
    def __init__(self, records=()):
        self.records = list(records)

    def entries(self):
        return list(enumerate(self.records))

    def append(self, record):
        self.records.append(record)
        return len(self.records) - 1

    def read(self, position):
        return self.records[position]


def test_equal_requests_are_made_once():
    reader = Echo()
    done, inference = run(stuff, [job("a"), job("b"), job("c", "other q")], reader)
    assert {i: f.prediction for i, f in done.items()} == {"a": "7", "b": "7", "c": "8"}
    assert inference.sessions[0].new_requests == 2
    assert reader.calls == [[f"other q {TEXT}".replace("beta g", "beta\ng").replace("delta e", "delta\ne"),
                             f"q {TEXT}".replace("beta g", "beta\ng").replace("delta e", "delta\ne")]]  # fmt: skip


def test_a_strategy_with_several_rounds_and_a_search_runs_to_its_end():
    done, inference = run(two_rounds, [job("a")], Echo())
    assert done["a"].prediction == "3+3+3+6"
    assert (done["a"].requests, inference.sessions[0].new_requests) == (4, 4)
    assert done["a"].shown_spans == ((0, 10), (11, 22), (23, 35))


def test_a_prediction_counts_the_tokens_of_all_its_rounds():
    done, _ = run(two_rounds, [job("a")], Echo())
    assert (done["a"].tokens_in, done["a"].tokens_out, done["a"].truncated_tokens) == (3 + 3 + 3 + 6, 4, 0)


def test_as_many_examples_are_in_flight_as_one_call_takes():
    queue = RequestQueue(Echo())
    full = [queue.is_full_with(Example(str(n), Document("d", TEXT))) for n in range(16)]
    assert full == [False] * 15 + [True]
    queue.clear()
    assert not queue.is_full_with(Example("next", Document("d", TEXT)))


def test_the_latest_replies_are_not_read_from_the_log(monkeypatch):
    monkeypatch.setattr(reply_cache, "RECENT", 2)
    cache, session = ReplyCache(), Session(stuff, Echo(), None, "echo", Memory())
    for n, key in enumerate("abc"):
        cache.add(key, Reply(key), session, n)
    assert list(cache.recent) == ["b", "c"]
    assert [cache[key].value for key in "bc"] == ["b", "c"]


def test_an_empty_prediction_without_any_output_is_not_counted_as_an_empty_output():
    def asks_nothing(job):
        yield from ()
        return ""

    def answers_blank(job):
        yield [Generate(job.prompt(job.selected), job.length)]
        return ""

    assert run(asks_nothing, [job("a")], Echo())[0]["a"].outputs == {}
    assert run(answers_blank, [job("a")], Echo())[0]["a"].outputs == {"empty": 1}


def test_a_logged_request_is_not_made_again():
    log = Memory()
    run(two_rounds, [job("a")], Echo(), log=log)
    reader = Echo()
    done, inference = run(two_rounds, [job("a"), job("b")], reader, log=Memory(log.records))
    assert (reader.calls, inference.sessions[0].new_requests) == ([], 0)
    assert done["b"].prediction == "3+3+3+6"


def test_a_part_of_the_log_gives_the_same_outputs_and_only_the_missing_requests_are_made():
    log = Memory()
    whole, _ = run(two_rounds, [job("a")], Echo(), log=log)
    for logged in range(5):
        done, inference = run(two_rounds, [job("a")], Echo(), log=Memory(log.records[:logged]))
        assert done["a"].prediction == whole["a"].prediction
        assert inference.sessions[0].new_requests == 4 - logged


def test_a_failed_request_fails_its_example_alone_and_is_not_logged():
    log = Memory()
    done, _ = run(stuff, [job("a"), job("b", "bad")], Echo(refuses="bad"), log=log)
    assert (done["a"].prediction, done["b"]) == ("7", "too hard")
    assert len(log.records) == 1


def test_thinking_is_logged_only_where_there_is_any():
    class Thinks(Echo):
        def reply_to(self, request):
            reply = Echo.reply_to(self, request)
            return replace(reply, thinking="hm") if "deep" in request.prompt.text else reply

    log = Memory()
    run(stuff, [job("a"), job("b", "deep")], Thinks(), log=log)
    assert [record.get("thinking") for record in log.records] == [None, "hm"]
    assert ["thinking" in record for record in log.records] == [False, True]
    done, inference = run(stuff, [job("a"), job("b", "deep")], Thinks(), log=Memory(log.records))
    assert (inference.sessions[0].new_requests, done["b"].prediction) == (0, "7")


def test_a_question_over_the_limit_fails_its_example_alone():
    done, _ = run(stuff, [job("a"), job("b", "one two three four five")], Echo(), limit=4)
    assert done["a"].prediction == "4"
    assert done["b"] == "question and instructions alone take 5 tokens, the limit is 4"


def test_prompts_are_truncated_to_the_limit_and_the_truncated_tokens_counted():
    done, _ = run(stuff, [job("a")], Echo(), limit=4)
    assert (done["a"].prediction, done["a"].truncated_tokens, done["a"].shown_spans) == ("4", 3, ((0, 10), (11, 16)))


def test_a_reader_without_batches_gets_one_request_per_call_and_finishes_each_job_at_once():
    reader = Echo()
    reader.batch_requests = 1
    jobs = iter([job("a"), job("b", "x y")])
    first = next(Inference(reader, [Session(stuff, reader, None, "echo")]).run(jobs))
    assert first.job.example.id == "a"
    assert [left.example.id for left in jobs] == ["b"]


def test_batches_are_bounded_by_padded_tokens():
    reader = Echo()
    reader.batch_tokens = 20
    queries = ["a b c d", "a b c", "a b", "a"]  # 10, 9, 8, 7 words with the document
    run(stuff, [job(q, q) for q in queries], reader)
    assert [len(call) for call in reader.calls] == [2, 2]


def test_prepared_jobs_are_finished_when_the_data_break_off():
    def breaking():
        yield job("a")
        raise UserError("the file ends in the middle of a row")

    inference = Inference(Echo(), [Session(stuff, Echo(), None, "echo")])
    finished = []
    with pytest.raises(UserError, match="middle of a row"):
        for item in inference.run(breaking()):
            finished.append(item.prediction.prediction)
    assert finished == ["7"]


def test_keys_differ_by_reader_prompt_and_decoding():
    session = Session(stuff, Echo(), None, "echo")
    request = Generate(job("a").prompt(CHUNKS), 5)
    other = Session(stuff, Echo(), None, "other")
    keys = [
        session.key(request),
        other.key(request),
        session.key(replace(request, max_new_tokens=6)),
        session.key(replace(request, stop=("x",))),
        session.key(Generate(job("a").prompt(CHUNKS[:2]), 5)),
        session.key(Generate(request.prompt.text, 5)),
    ]
    assert len(set(keys)) == len(keys)
    assert session.key(Generate(job("b").prompt(CHUNKS), 5)) == keys[0]


def compare_twice(job):
    """Compare the chunks twice and answer with the results."""
    texts = tuple(chunk.text for chunk in job.chunks)
    (first,) = yield [Compare(texts, ((0, 1), (1, 2)))]
    (second,) = yield [Compare(texts, ((0, 2),))]
    (answer,) = yield [Generate(job.prompt(job.selected), job.length)]
    return f"{first}{second}{answer}"


class Compares(Echo):
    supports = frozenset({Generate, Compare})

    def reply(self, requests):
        self.calls.append(len(requests))
        return [
            self.likeness(request) if isinstance(request, Compare) else self.reply_to(request) for request in requests
        ]

    def likeness(self, request):
        return Reply(tuple(0.25 * (j - i) for i, j in request.pairs), tokens_in=6)


COMPARISON_ANSWER = "(0.25, 0.25)(0.5,)7"


def run_comparisons(log, batch_requests=16):
    reader = Compares()
    reader.batch_requests = batch_requests
    done, inference = run(compare_twice, [job("a"), job("b")], reader, log=log)
    assert [(f.prediction, f.requests, f.tokens_in) for f in done.values()] == [(COMPARISON_ANSWER, 3, 19)] * 2
    return inference


@pytest.mark.parametrize("batch_requests", [16, 1])  # both jobs at once; one after the other
def test_replies_to_compare_are_only_in_the_log_and_requested_once(batch_requests):
    inference = run_comparisons(Memory(), batch_requests)
    assert inference.sessions[0].new_requests == 3
    assert [reply.value for reply in inference.cache.recent.values()] == ["7"]


@pytest.mark.parametrize("batch_requests", [16, 1])
def test_resuming_makes_no_request_twice_and_keeps_no_replies_to_compare_in_memory(batch_requests):
    log = Memory()
    run_comparisons(log)
    for logged in range(4):
        inference = run_comparisons(Memory(log.records[:logged]), batch_requests)
        assert inference.sessions[0].new_requests == 3 - logged
        assert [reply.value for reply in inference.cache.recent.values()] == ["7"]


def test_without_a_log_replies_to_compare_stay_in_memory():
    inference = run_comparisons(NoLog(), 1)
    assert (inference.sessions[0].new_requests, len(inference.cache.replies)) == (3, 3)


def test_a_journal_gives_replies_to_compare_back_exactly(tmp_path):
    for new_requests in (3, 0):
        log = Journal(tmp_path / "requests.jsonl")
        assert run_comparisons(log).sessions[0].new_requests == new_requests
        log.close()


def test_a_running_job_does_not_keep_its_replies_in_memory(tmp_path):
    import tracemalloc

    def many(job):
        for n in range(20):
            yield [Compare((str(n), "x"), ((0, 1),) * 5_000)]
        return "done"

    log = Journal(tmp_path / "requests.jsonl")
    tracemalloc.start()
    done, _ = run(many, [job("a")], Compares(), log=log)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    log.close()
    assert done["a"].requests == 20
    assert peak < 2_000_000  # one reply of 5,000 numbers, its line and its request; all replies are 3.2 MB


def fused(overlap=0, order=slice(None)):
    def strategy(job):
        prompts = tuple(job.prompt(chunk) for chunk in job.chunks[order])
        (answer,) = yield [Fuse(prompts, job.length, overlap=overlap)]
        return answer

    return strategy


@dataclass
class Fusing(Echo):
    """Answers with the numbers of words of its prompts."""

    supports = frozenset({Fuse})

    def reply(self, requests):
        return [Reply(" ".join(str(len(prompt.text.split())) for prompt in request.prompts)) for request in requests]


def test_fused_prompts_are_truncated_one_by_one_and_windows_not_at_all():
    done, inference = run(fused(), [job("a")], Fusing(), limit=2)
    assert (done["a"].prediction, done["a"].shown_spans) == ("2 2 2", ((0, 5), (11, 16), (23, 30)))
    assert [tokens for _, tokens in inference.sessions[0].first_prompts(job("a"))] == [2, 2, 2]
    assert run(fused(overlap=1), [job("a")], Fusing(), limit=2)[0]["a"].prediction == "3 3 3"
    windows = Inference(Fusing(), [Session(fused(overlap=1), Fusing(), 2, "echo", whole_limit=2)])
    assert [finished.prediction.prediction for finished in windows.run([job("a")])] == ["2 2 2"]


def test_fused_requests_have_keys_of_their_prompts_order_and_overlap():
    keys = set()
    for strategy in (fused(), fused(1), fused(2), fused(order=slice(None, None, -1)), fused(order=slice(1))):
        session = Session(strategy, Fusing(), None, "echo")
        keys |= {session.key(request) for request in session.first_requests(job("a"))}
    assert len(keys) == 5


def test_a_streamed_reply_is_logged_at_once(tmp_path):
    all_arrived, consumer_is_free = threading.Event(), threading.Event()

    class Streams(Echo, StreamingReader):
        concurrency = 3

        def stream(self, requests, arrived):
            for place, reply in replies_in_order_of_arrival(self.reply_to, requests, 3, arrived):
                assert consumer_is_free.wait(patience.SECONDS)  # the consumer is busy
                yield place, reply

        def reply_to(self, request):
            if sum(map(len, self.calls)) == 2:
                all_arrived.set()
            self.calls.append([request.prompt.query])
            return Echo.reply_to(self, request)

    log = Journal(tmp_path / "requests.jsonl", check)
    done = []
    consumer = threading.Thread(
        target=lambda: done.append(run(stuff, [job(name, name) for name in "abc"], Streams(), log=log)[0])
    )
    consumer.start()
    assert all_arrived.wait(patience.SECONDS)
    patience.until(
        lambda: len((tmp_path / "requests.jsonl").read_bytes().splitlines()) >= 3, "three replies are logged"
    )
    assert len(list(records(tmp_path / "requests.jsonl", check))) == 3  # what a kill would leave
    assert done == []
    consumer_is_free.set()
    consumer.join(patience.SECONDS)
    log.close()
    assert {name: finished.prediction for name, finished in done[0].items()} == dict.fromkeys("abc", "7")
