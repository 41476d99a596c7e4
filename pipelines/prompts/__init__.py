"""All words of ours that a model reads, and the prompts that are made of them.

- `chat_words`: the words of each task for chat models; `chat_prompt`: the prompt that they make.
- `strategy_words`, `judge_words`, `ask_words`: the words of strategies, judges and `ask`.
- `template`, `presets`, `benchmark_prompt`, `row_prompt`: templates, those of families of models, and the prompts of
  benchmarks, whose words are in the benchmark's folder or file.
- `closed_answers`, `named_labels`: the answer in a reply.
"""
