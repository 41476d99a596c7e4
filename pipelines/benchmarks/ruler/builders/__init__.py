"""What builds data as RULER has them."""
