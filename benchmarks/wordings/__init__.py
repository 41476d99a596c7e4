"""The words with which chat models are asked, measured with real models; `python -m benchmarks.wordings`."""
