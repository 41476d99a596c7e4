"""Replies of models that were asked to write one of the labels, and the label that each one names."""

import json

from pipelines.benchmarks.muld.layouts.character_types import LABELS
from pipelines.prompts.named_labels import label_of
from tests.turns import for_each

HERO = LABELS[0]


@for_each(
    "reply",
    [
        "Hero/Protagonist",
        "  hero/protagonist \n",
        "**Hero/Protagonist**",
        "__Hero/Protagonist__.",
        "`Hero/Protagonist`",
        "'Hero/Protagonist'",
        "“Hero / Protagonist”",
        "- Hero/Protagonist",
        "1. Hero/Protagonist",
        "### Hero/Protagonist",
        "$\\boxed{\\text{Hero/Protagonist}}$",
        "HERO-PROTAGONIST",
        "Label: Hero/Protagonist",
        "**Label:** Hero/Protagonist",
        "Answer: **Hero/Protagonist**",
        "The label is Hero/Protagonist.",
        "My final answer: hero/protagonist",
        '{"label": "Hero/Protagonist"}',
        '```json\n{"label": "hero/protagonist", "reason": "He is no Villain/Antagonist"}\n```',
        '{"character": "Tom", "type": "Hero/Protagonist"}',
        '["Hero/Protagonist"]',
        '{"labels": ["Hero/Protagonist"]}',
        '{"label": "Hero/Prot',  # cut at its length
        "Tom is the Hero/Protagonist of the film.",
        "Based on the script, Tom is the **Hero/Protagonist**, as he saves the child.",
        "Tom is the Hero/Protagonist, not the Villain/Antagonist.",
        "He isn't a Villain/Antagonist. He's the Hero/Protagonist.",
        "Hero/Protagonist or Villain/Antagonist? Hero/Protagonist.",
        "Hero/Protagonist\n\nAt first he looks like a Villain/Antagonist, and then he saves the child.",
        "Both fit: a Villain/Antagonist at first.\n\nHero/Protagonist",
        "Hero/Protagonist\nVillain/Antagonist\n\nAnswer: Hero/Protagonist",
        "Hero/Protagonist.\nHero/Protagonist.",
        "I cannot be sure, but he is the Hero/Protagonist.",
        "Hero",
        "**Protagonist**",
        "Label: hero",
        "Tom is the hero of this film.",
    ],
)
def test_a_sloppy_reply_that_names_one_label_gives_it(reply: str) -> None:
    assert label_of(reply, LABELS) == HERO


@for_each(
    "reply",
    [
        "",
        "Tom",
        "Hero/Protagonist or Villain/Antagonist",
        "Hero/Protagonist\nVillain/Antagonist",
        "Label: Hero/Protagonist\nLabel: Villain/Antagonist",
        "Answer: Hero/Protagonist. Answer: Villain/Antagonist.",
        '{"label": "Hero/Protagonist", "label": "Villain/Antagonist"}',
        '["Hero/Protagonist", "Villain/Antagonist"]',
        '{"label": "Hero/Protagonist"}\n{"label": "Villain/Antagonist"}',
        '{"label": null}',
        "[" * 100_000,
        "I cannot say whether he is the Hero/Protagonist.",
        "I can’t determine if Tom is the Hero/Protagonist from this.",
        "As an AI, I am unable to classify him as Hero/Protagonist.",
        "There is not enough text to call him the Hero/Protagonist.",
        "Is he the Hero/Protagonist?",
        "He is not the Hero/Protagonist.",
        "Neither the Hero/Protagonist nor the Villain/Antagonist.",
        "He is an anti-hero.",
        "Sidekick",
    ],
)
def test_a_reply_that_names_none_or_several_or_refuses_gives_none(reply: str) -> None:
    assert label_of(reply, LABELS) is None


@for_each(
    ("reply", "labels", "label"),
    [
        ("Hero", ("Hero", "Hero/Protagonist"), "Hero"),
        ("Tom is the Hero/Protagonist.", ("Hero", "Hero/Protagonist"), "Hero/Protagonist"),
        ("Tom is the Hero.", ("Hero", "Hero/Protagonist"), "Hero"),
        ("Protagonist", ("Hero", "Hero/Protagonist"), "Hero/Protagonist"),
        ("It is science fiction.", ("fiction", "science fiction"), "science fiction"),
        ("It is non-fiction.", ("fiction", "non-fiction"), "non-fiction"),
        ("It is non-fiction.", ("fiction", "verse"), None),
        ("business", ("business/finance", "business/law"), None),  # a part of two labels
        ("not applicable", ("N/A", "A"), None),
        ("C++", ("C", "C++", "C#"), "C++"),
        ("The answer is C#.", ("C", "C++", "C#"), "C#"),
        ("**C**", ("C", "C++", "C#"), "C"),
        ("us", ("US", "us"), "us"),
        ("Us", ("US", "us"), None),  # spelled like neither
        ("★★", ("★", "★★"), "★★"),
        ("Option B fits a reader best.", ("A", "B"), "B"),
        ("A and B", ("A", "B"), None),
        ("The Who", ("The Who", "Who Else"), "The Who"),
        ("这是正面的。", ("正面", "负面"), "正面"),
        ("これは**肯定的**です", ("肯定的", "否定的"), "肯定的"),
        ("Ответ: «Герой».", ("Герой", "Злодей"), "Герой"),
        ("التصنيف هو: إيجابي", ("إيجابي", "سلبي"), "إيجابي"),
        ("標籤：英雄\n標籤：壞人", ("英雄", "壞人"), None),
        ("He is the hero_type", ("hero_type", "villain_type"), "hero_type"),
    ],
)
def test_labels_within_others_and_of_any_script_are_told_apart(reply: str, labels: tuple[str, ...], label: str) -> None:
    assert label_of(reply, labels) == label


def test_one_of_ten_thousand_labels_is_found_in_every_form() -> None:
    labels = tuple(f"class {number}" for number in range(10_000))
    for reply in ("class 12", "**Class 12**", "It is class 12.", json.dumps({"label": "class 12"})):
        assert label_of(reply, labels) == "class 12"
    assert label_of("class 12 or class 123", labels) is None
    assert label_of("class 10000", labels) is None
