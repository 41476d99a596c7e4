"""Train readers and retrievers: `longdoc train`."""
