"""Batch files: requests written for a provider's batch API or `vllm run-batch`, and the replies read back."""
