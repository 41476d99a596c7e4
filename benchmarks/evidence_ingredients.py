"""A retriever made of others, without one of its parts: what each contributes to a preset."""

from collections.abc import Iterator, Mapping
from typing import Any

WRAPPERS = ("links", "lists", "spread", "scales")  # retrievers around another, which is left without them
USUAL: dict[str, Any] = {
    "heading": False, "stop_words": None, "stem": None, "b": 0.75, "weights": [], "hops": 1, "names": 0.0,
    "clauses": 0.0,
}  # fmt: skip


def ingredients(spec: Mapping[str, Any]) -> list[str]:
    """What can be left out of a described retriever, each once: "links", "dense", "window scale", "heading" …."""
    return list(dict.fromkeys(_ingredients(spec)))


def _ingredients(spec: Mapping[str, Any]) -> Iterator[str]:
    if spec["name"] in WRAPPERS:
        yield spec["name"]
    if len(spec.get("scales", ())) > 1:
        yield from (f"{scale} scale" for scale in spec["scales"])
    members = spec.get("retrievers", ())
    if len(members) > 1:
        yield from (_member_name(member) for member in members)
    for member in (*members, *([spec["retriever"]] if "retriever" in spec else [])):
        yield from _ingredients(member)
    yield from (option for option in USUAL if option in spec and _is_chosen(spec, option))


def _is_chosen(spec: Mapping[str, Any], option: str) -> bool:
    """Whether an option is other than usual; equal weights are usual."""
    return len(set(spec[option])) > 1 if option == "weights" else bool(spec[option] != USUAL[option])


def _member_name(member: Mapping[str, Any]) -> str:
    """A member's name; that of what it wraps, where it is a wrapper."""
    return _member_name(member["retriever"]) if member["name"] in WRAPPERS else str(member["name"])


def without(spec: Mapping[str, Any], ingredient: str) -> dict[str, Any]:
    """The retriever without an ingredient, everywhere."""
    spec = dict(spec)
    if spec["name"] == ingredient and "retriever" in spec:
        return without(spec["retriever"], ingredient)
    if "retriever" in spec:
        spec["retriever"] = without(spec["retriever"], ingredient)
    if "scales" in spec and len(spec["scales"]) > 1:
        spec["scales"] = [scale for scale in spec["scales"] if f"{scale} scale" != ingredient]
    if "retrievers" in spec:
        return _without_member(spec, ingredient)
    return spec | {ingredient: USUAL[ingredient]} if ingredient in USUAL and ingredient in spec else spec


def _without_member(spec: dict[str, Any], ingredient: str) -> dict[str, Any]:
    weights = spec.get("weights") or [1.0] * len(spec["retrievers"])
    kept = [
        (without(member, ingredient), weight)
        for member, weight in zip(spec["retrievers"], weights, strict=True)
        if _member_name(member) != ingredient
    ]
    if len(kept) == 1:
        return kept[0][0]
    spec["retrievers"] = [member for member, _ in kept]
    if "weights" in spec:
        spec["weights"] = [] if ingredient == "weights" else [weight for _, weight in kept]
    return spec
