"""What builds data as MuLD has them."""
