"""Base classes of retrievers made of other retrievers, and of their indexes."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from longdoc.errors import UserError
from retrievers._contract import CentroidIndex, Index, Lengths, LimitedIndex, QuerySource, Retriever
from retrievers.shared.ranking import ByCentroid


class Composite(Retriever):
    """A retriever made of others; a subclass defines `members`."""

    @property
    def members(self) -> Sequence[Retriever]:
        """The retrievers it is made of."""
        raise AssertionError(f"{type(self).__name__} does not define members")

    @property
    def query_source(self) -> QuerySource:  # type: ignore[override]
        """The query source of the members."""
        return next(iter(self._query_sources()), "nothing")

    @property
    def ranks_by_centroid(self) -> bool:  # type: ignore[override]
        """Whether all members can rank by the document's centroid."""
        return all(member.ranks_by_centroid for member in self.members)

    def encoder_records(self) -> Sequence[Mapping[str, Any]]:
        """The distinct encoder records of the members."""
        records: list[Mapping[str, Any]] = []
        for record in (record for member in self.members for record in member.encoder_records()):
            records += [record] if record not in records else []
        return tuple(records)

    def check_query_sources(self, name: str) -> None:
        """Raise `UserError` unless all members have the same query source; "nothing" goes with any."""
        sources = self._query_sources()
        if len(sources) > 1:
            raise UserError(
                f"{name}: its retrievers must all rank by the same thing, got {' and '.join(sorted(sources))}"
            )

    def _query_sources(self) -> set[QuerySource]:
        return {member.query_source for member in self.members} - {"nothing"}


class CompositeIndex(ByCentroid):
    """An index over the indexes of the members of the retriever `name`."""

    def __init__(self, name: str, members: Sequence[Index]) -> None:
        self._name, self._members = name, members

    def member_scores(self, queries: Sequence[str]) -> list[npt.NDArray[np.floating]]:
        """The scores [queries, chunks] of each member. Raises `UserError` for scores that are not finite."""
        return [self._checked(member, member.scores(queries)) for member in self._members]

    def member_centroid_scores(self) -> list[npt.NDArray[np.floating]]:
        """The centroid scores [1, chunks] of each member. Raises `UserError` for a member that cannot rank by it."""
        return [self._checked(member, self._centroid(member)) for member in self._members]

    def passages(self) -> tuple[Lengths, ...]:
        """Counts of chunks over the limits of the members' encoders."""
        return tuple(
            lengths for member in self._members if isinstance(member, LimitedIndex) for lengths in member.passages()
        )

    def queries(self, queries: Sequence[str]) -> tuple[Lengths, ...]:
        """Counts of queries over the limits of the members' encoders."""
        members = [member for member in self._members if isinstance(member, LimitedIndex)]
        return tuple(lengths for member in members for lengths in member.queries(queries))

    def _centroid(self, member: Index) -> npt.NDArray[np.floating]:
        if not isinstance(member, CentroidIndex):
            raise UserError(f"{self._name}: {type(member).__name__} cannot rank by the document's centroid")
        return member.centroid_scores()[None]

    def _checked(self, member: Any, scores: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
        if not np.isfinite(scores).all():
            raise UserError(f"{self._name}: {type(member).__name__} returned NaN or infinite scores")
        return scores
