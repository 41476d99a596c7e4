"""What builds data as SCROLLS has them."""
