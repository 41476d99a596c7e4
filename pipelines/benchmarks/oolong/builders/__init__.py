"""What builds data as OOLONG has them."""
