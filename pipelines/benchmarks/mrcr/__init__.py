"""All of MRCR that no other benchmark needs."""
