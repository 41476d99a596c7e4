"""What builds data as Graphwalks has them."""
