"""All of LiteraryQA that no other benchmark needs."""
