"""A small ablation with everything in it that a format must escape, bound, mark or leave out."""

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from pipelines.results.ablations.ablation import Ablation
from pipelines.results.comparisons.cell import Cell
from pipelines.results.run_folders.run import Counts, Run
from pipelines.results.scores import Scores
from pipelines.statistics.intervals import Difference, Interval

SIGNATURES = {"f1": r"f1|tokens:\w+", "bleu-1": "bleu-1|smooth:none"}


def interval(low: float, high: float) -> Interval:
    return Interval(low, high, 0.95, 1000, "document", 9)


def cell(retriever: str, k: int, f1: float, **changes: Any) -> Cell:
    """A finished cell; its second score is one below the first. Changes may be of its scores or counts, too."""
    name = f"retriever={retriever},k={k}"
    scores = Scores(
        changes.pop("scores", {"bleu-1": f1 - 1, "f1": f1, "no_letter": 2.0}),
        changes.pop("intervals", {"f1": interval(f1 - 1.5, f1 + 2)}),
        changes.pop("no_interval", {}),
        changes.pop("signatures", SIGNATURES),
        changes.pop("not_computed", {}),
    )
    counts = Counts(78, 9, 78, 78 * 200 * k, 780, 200.0 * k, cost=0.001 * k)
    names = [field.name for field in fields(Counts) if field.name in changes]
    field_values: dict[str, Any] = {
        "settings": {"retriever": retriever, "k": k},
        "run": Run(Path("cells"), "narrativeqa", "test", {}, scores),
        "counts": replace(counts, **{name: changes.pop(name) for name in names}),
    }
    return Cell(name=name, recipe=f"tokens → {retriever} k={k}", folder=Path("cells") / name, **field_values | changes)


def difference(value: float, p: float, holm: float | None) -> Difference:
    return Difference(value, interval(value - 1, value + 1), p, holm, 20, 10, 48)


def ablation(**changes: Any) -> Ablation:
    """Two axes, four cells: the baseline, one better and one worse than it, one failed."""
    arguments: dict[str, Any] = {
        "axes": {"retriever": ["tf_idf", "bm25|$x"], "k": [1, 5]},
        "cells": [
            cell("tf_idf", 1, 8.0),
            cell("tf_idf", 5, 9.25, differences={"f1": difference(1.25, 0.004, 0.012)}),
            cell("bm25|$x", 1, 7.5, differences={"f1": difference(-0.5, 0.0001, 0.0002)}),
            Cell(
                "retriever=bm25|$x,k=5",
                {"retriever": "bm25|$x", "k": 5},
                "tokens → bm25",
                None,
                error="=1+1 <b>\n& 50% of_it",
            ),
        ],
        "warnings": ("9 documents are few",),
    }
    return Ablation(
        "narrativeqa",
        "test",
        baseline="retriever=tf_idf,k=1",
        primary_metric="f1",
        folder=Path("abl"),
        **arguments | changes,
    )
