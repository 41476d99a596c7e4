"""What builds data as MRCR has them."""
