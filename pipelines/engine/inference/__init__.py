"""Requests of many jobs answered together: the queue, the cache of replies, the sessions of the runs."""
