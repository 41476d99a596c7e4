"""All of Graphwalks that no other benchmark needs."""
