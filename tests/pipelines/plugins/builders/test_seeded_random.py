from pipelines.plugins.builders._seeded_random import SeededRandom


def test_equal_keys_make_equal_choices_and_others_do_not() -> None:
    first, same, other = (SeededRandom(0, "train", 7), SeededRandom(0, "train", 7), SeededRandom(0, "train", 8))
    assert [first.below(100) for _ in range(5)] == [same.below(100) for _ in range(5)]
    assert SeededRandom(0, "train", 7).shuffled(range(9)) != other.shuffled(range(9))


def test_the_choices_are_these_in_every_version() -> None:
    random = SeededRandom(0, "train", 7)
    assert (random.below(1000), random.choice("abc"), random.shuffled("abcde")) == (730, "a", ["d", "e", "b", "a", "c"])


def test_every_order_and_number_comes_up() -> None:
    orders = {tuple(SeededRandom(n).shuffled("abc")) for n in range(100)}
    assert len(orders) == 6
    assert {SeededRandom(n).below(4) for n in range(100)} == {0, 1, 2, 3}
