"""The replies that a reader has given, by the keys of their requests, so that equal requests are made once."""

from dataclasses import dataclass, field, replace

from models.requests import Reply
from pipelines.engine.inference.session import Session
from pipelines.engine.inference.shared_replies import Made
from pipelines.engine.recording import request_log
from pipelines.engine.recording.starts import Start


@dataclass(slots=True)
class ReplyCache:
    """Replies are kept in memory, save those to `Compare`, which have a number for every pair of paragraphs.

    Those are read again from the log that holds them. `keep_raw`: whether raw outputs are kept too, which only another
    run needs, to log them. `made` has, for replies that runs share (`shared_replies`), what they were made with, and
    `starts`, for replies that an earlier start of some run logged, that start.
    """

    keep_raw: bool = True
    replies: dict[str, Reply] = field(default_factory=dict)
    logged: dict[str, tuple[Session, int]] = field(default_factory=dict)  # the log's session, the line's position
    made: dict[str, Made] = field(default_factory=dict)
    starts: dict[str, Start] = field(default_factory=dict)

    def __contains__(self, key: str) -> bool:
        """Whether there is a reply to a request."""
        return key in self.replies or key in self.logged

    def __getitem__(self, key: str) -> Reply:
        """The reply to a request."""
        if key in self.replies:
            return self.replies[key]
        session, position = self.logged[key]
        return request_log.reply_of(session.log.read(position))

    def add(self, key: str, reply: Reply, session: Session, position: int | None, made: Made | None = None) -> None:
        """Keep a reply that is at `position` in a session's log; None if it cannot be read from there."""
        if made:
            self.made[key] = made
        if position is not None and request_log.compared(reply.value):
            self.logged[key] = (session, position)
        else:
            self.replies[key] = reply if self.keep_raw else replace(reply, raw=None)

    def forget_failures(self) -> None:
        """Forget failed requests, so that they are made again."""
        for key in [key for key, reply in self.replies.items() if reply.error is not None]:
            del self.replies[key]
