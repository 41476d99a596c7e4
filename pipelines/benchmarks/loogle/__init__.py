"""All of LooGLE that no other benchmark needs."""
