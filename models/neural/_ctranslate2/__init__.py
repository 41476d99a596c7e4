"""Networks that CTranslate2 computes on a CPU, converted once from those of `transformers` and kept in a cache."""
