"""How requests are sent: addresses, keys, failures, health, many at once."""
