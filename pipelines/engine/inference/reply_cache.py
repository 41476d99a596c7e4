"""The replies that a reader has given, by the keys of their requests, so that equal requests are made once."""

from dataclasses import dataclass, field

from models.requests import Reply
from pipelines.engine.inference.session import Session
from pipelines.engine.recording import request_log
from pipelines.engine.recording.starts import Start

RECENT = 1000  # replies that are kept in memory beside their lines in a log: most are used at once


@dataclass(slots=True)
class ReplyCache:
    """The replies by key. Those that a log holds are read again from there when needed, save the last `RECENT`.

    So the memory that a run takes does not grow with what its model writes. Replies that no log holds are kept in
    memory: failed ones, and all where there is no log. `starts` has the start that logged a reply, where it was an
    earlier one.
    """

    replies: dict[str, Reply] = field(default_factory=dict)
    logged: dict[str, tuple[Session, int]] = field(default_factory=dict)  # the log's session, the line's position
    recent: dict[str, Reply] = field(default_factory=dict)
    starts: dict[str, Start] = field(default_factory=dict)

    def __contains__(self, key: str) -> bool:
        """Whether there is a reply to a request."""
        return key in self.logged or key in self.replies

    def __getitem__(self, key: str) -> Reply:
        """The reply to a request."""
        if key in self.replies:
            return self.replies[key]
        if (reply := self.recent.get(key)) is not None:
            return reply
        session, position = self.logged[key]
        return request_log.reply_of(session.log.read(position))

    def add(self, key: str, reply: Reply, session: Session, position: int | None) -> None:
        """Keep a reply that is at `position` in a session's log; None if it cannot be read from there."""
        if position is None:
            self.replies[key] = reply
            return
        self.replies.pop(key, None)  # the failed reply to the same request
        self.logged[key] = (session, position)
        if not request_log.answers_compare(reply.value):  # large: a number for every pair of paragraphs
            self.recent[key] = reply
            if len(self.recent) > RECENT:
                del self.recent[next(iter(self.recent))]

    def forget_failures(self) -> None:
        """Forget failed requests, so that they are made again."""
        for key in [key for key, reply in self.replies.items() if reply.error is not None]:
            del self.replies[key]
