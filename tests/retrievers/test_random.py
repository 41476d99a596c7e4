import retrievers


def order(chunks, seed=None, example="q1"):
    return retrievers.get("random", seed=seed).index(chunks(*"abcdefghij")).search([example])[1][0].tolist()


def test_the_order_for_an_id_does_not_depend_on_the_other_ids(chunks):
    index = retrievers.get("random", seed=7).index(chunks(*"abcdefghij"))
    _, together = index.search(["q1", "q2", "q3"])
    _, turned = index.search(["q3", "q1"])
    assert together[[2, 0]].tolist() == turned.tolist()


def test_the_order_is_the_same_on_every_machine(chunks):
    assert order(chunks, seed=7) == [9, 1, 2, 3, 0, 5, 8, 6, 4, 7]


def test_ids_and_seeds_change_the_order(chunks):
    orders = [order(chunks), order(chunks, seed=1), order(chunks, example="q2")]
    assert len(set(map(tuple, orders))) == 3
    assert all(sorted(ranking) == list(range(10)) for ranking in orders)


def test_no_seed_is_seed_zero(chunks):
    assert order(chunks) == order(chunks, seed=0)


def test_it_is_queried_with_ids():
    assert retrievers.get("random").query_source == "id"


def test_every_chunk_comes_first_about_as_often(chunks):
    index = retrievers.get("random").index(chunks(*"abcd"))
    first = index.search([str(number) for number in range(2000)], 1)[1][:, 0]
    assert all(400 < (first == chunk).sum() < 600 for chunk in range(4))
