"""What builds data as ZeroSCROLLS has them."""
