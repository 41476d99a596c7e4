"""Builders of tiny models: real architectures and tokenizers with random weights, made in a second."""

import json
import re
from pathlib import Path
from typing import Any

TEXT = [
    "The old mill stood by the river, and the river ran past the town.",
    "Anna kept a lamp in the window of the mill for her brother Tom.",
    "Every winter the ice broke the wheel, and every spring Tom mended it.",
    "What did Anna keep in the window? A lamp, so that Tom could find the way.",
    "Who mended the wheel? Her brother did, with oak from the hill above the town.",
    "Yes, one author wrote both letters. No, the second letter came from someone else.",
]
MARIAN_TEXT = {
    "source": TEXT,
    "target": [
        "Die alte Mühle stand am Fluss, und der Fluss lief an der Stadt vorbei.",
        "Anna stellte für ihren Bruder Tom eine Lampe ins Fenster der Mühle.",
        "Jeden Winter zerbrach das Eis das Rad, und jeden Frühling flickte Tom es wieder.",
        "Wer hat das Rad repariert? Ihr Bruder, mit Eiche vom Hügel über der großen Stadt.",
    ],
}
STRENGTH = 0.5
T5_SPECIAL = ["<pad>", "</s>", "<unk>"]
BART_SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]


def unigram() -> Any:
    """A tokenizer like T5's: Unigram over words with a leading mark, `</s>` at the end.

    Its pieces are the characters and the short words of the text; a trainer would learn other ones in each run.
    """
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    words = sorted({word for text in TEXT for word in re.findall("[A-Za-z]+", text)})
    pieces = [(f"▁{word}", -3.0) for word in words if len(word) < 5]
    pieces += [(word[-3:], -4.0) for word in words if len(word) > 5]
    pieces += [(letter, -6.0) for letter in sorted({"▁", *"".join(TEXT)} - {" "})]
    vocabulary = [(special, 0.0) for special in T5_SPECIAL] + list(dict(pieces).items())
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=2))
    tokenizer.add_special_tokens(T5_SPECIAL)
    tokenizer.normalizer = normalizers.NFKC()
    mark = {"replacement": "▁", "prepend_scheme": "always"}
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(**mark)]
    )
    tokenizer.decoder = decoders.Metaspace(**mark)
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return tokenizer


def byte_level(special: list[str] | None = None) -> Any:
    """A tokenizer like BART's: byte-level BPE, `<s>` before and `</s>` after; neither with other special tokens."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=special or BART_SPECIAL,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([*TEXT, *(text.replace(" ", "   ") for text in TEXT)], trainer)
    if special:
        return tokenizer
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return tokenizer


def t5(folder: Path, **settings: Any) -> Path:
    """A model like T5 1.1 and Flan-T5: gated, with a separate output layer."""
    from transformers import T5Config, T5ForConditionalGeneration

    return _save(folder, T5ForConditionalGeneration, T5Config(**_t5_settings() | settings), unigram())


def longt5(folder: Path, **settings: Any) -> Path:
    """LongT5 with transient-global attention over blocks of four tokens."""
    from transformers import LongT5Config, LongT5ForConditionalGeneration

    own = {"encoder_attention_type": "transient-global", "local_radius": 7, "global_block_size": 4}
    return _save(folder, LongT5ForConditionalGeneration, LongT5Config(**_t5_settings() | own | settings), unigram())


def bart(folder: Path, **settings: Any) -> Path:
    """BART of 64 positions that, like its summarizers, forces `<s>` first and `</s>` last."""
    from transformers import BartConfig, BartForConditionalGeneration

    own = {"max_position_embeddings": 64, "forced_eos_token_id": 2}
    return _save(folder, BartForConditionalGeneration, BartConfig(**_bart_settings() | own | settings), byte_level())


def led(folder: Path, **settings: Any) -> Path:
    """LED of 128 input positions with windows of 8."""
    from transformers import LEDConfig, LEDForConditionalGeneration

    own = {"max_encoder_position_embeddings": 128, "max_decoder_position_embeddings": 256, "attention_window": 8}
    return _save(folder, LEDForConditionalGeneration, LEDConfig(**_bart_settings() | own | settings), byte_level())


def pegasus_x(folder: Path, **settings: Any) -> Path:
    """Pegasus-X of 128 positions with blocks of 8, staggered in every other layer, and 4 global tokens."""
    from transformers import PegasusXConfig, PegasusXForConditionalGeneration

    own = {"max_position_embeddings": 128, "block_size": 8, "num_global_tokens": 4}
    config = PegasusXConfig(**_pegasus_settings() | own | settings)
    return _save(folder, PegasusXForConditionalGeneration, config, unigram())


def bigbird_pegasus(folder: Path, **settings: Any) -> Path:
    """BigBird-Pegasus of 128 positions with blocks of 4: full attention up to 28 tokens, sparse beyond."""
    from transformers import BigBirdPegasusConfig, BigBirdPegasusForConditionalGeneration

    own = {"max_position_embeddings": 128, "block_size": 4, "num_random_blocks": 1}
    config = BigBirdPegasusConfig(**_pegasus_settings() | own | settings)
    return _save(folder, BigBirdPegasusForConditionalGeneration, config, unigram())


def _pegasus_settings() -> dict[str, Any]:
    ids = {"bos_token_id": 0, "pad_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0}
    return _bart_settings() | ids | {"tie_word_embeddings": True}


CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}"
    "{% if enable_thinking %}{{ '<think>\n' }}{% endif %}{% endif %}"
)
WITHOUT_SYSTEM = (
    "{{ bos_token }}{% for message in messages %}{% if message['role'] == 'system' %}"
    "{{ raise_exception('conversations begin with the user') }}{% endif %}"
    "{{ '[INST] ' + message['content'] | trim + ' [/INST]' }}{% endfor %}"
)


def llama(folder: Path, **settings: Any) -> Path:
    """Llama of 96 positions with a tokenizer like Llama 2's: a space before every text, `<s>` first, no padding."""
    from transformers import LlamaConfig, LlamaForCausalLM

    return _save_decoder(folder, LlamaForCausalLM, LlamaConfig(**_decoder_settings() | settings), llama_bpe())


def mistral(folder: Path, **settings: Any) -> Path:
    """Mistral that looks back 16 tokens, with a chat template that refuses system prompts."""
    from transformers import MistralConfig, MistralForCausalLM

    config = MistralConfig(**_decoder_settings() | {"sliding_window": 16} | settings)
    return _save_decoder(folder, MistralForCausalLM, config, llama_bpe(), WITHOUT_SYSTEM)


def qwen(folder: Path, **settings: Any) -> Path:
    """Qwen with byte-level pieces, nothing added to a text, and a chat template that may open a block of thinking."""
    from transformers import Qwen2Config, Qwen2ForCausalLM

    tokenizer = byte_level(["<|endoftext|>", "<|im_start|>", "<|im_end|>"])
    ids = {"bos_token_id": None, "eos_token_id": 2, "pad_token_id": 0}
    config = Qwen2Config(**_decoder_settings() | ids | settings)
    return _save_decoder(folder, Qwen2ForCausalLM, config, tokenizer, CHATML)


def phi(folder: Path, **settings: Any) -> Path:
    """Phi with byte-level pieces, one special token for everything, no chat template and no padding token."""
    from transformers import PhiConfig, PhiForCausalLM

    ids = {"bos_token_id": 0, "eos_token_id": 0, "pad_token_id": None}
    config = PhiConfig(**_decoder_settings() | ids | settings)
    return _save_decoder(folder, PhiForCausalLM, config, byte_level(["<|endoftext|>"]))


def llama_bpe() -> Any:
    """A tokenizer like Llama 2's: BPE without words, spaces as marks, one put before every text, `<s>` first."""
    from tokenizers import Tokenizer, decoders, models, normalizers, processors, trainers

    special = ["<unk>", "<s>", "</s>"]
    vocabulary = {piece: number for number, piece in enumerate([*special, *(f"<0x{byte:02X}>" for byte in range(256))])}
    words = Tokenizer(models.BPE())
    trainer = trainers.BpeTrainer(vocab_size=200, special_tokens=special, show_progress=False)
    words.train_from_iterator([f"▁{word}" for text in TEXT for word in text.split()], trainer)
    learned = json.loads(words.to_str())["model"]
    for piece in sorted(learned["vocab"], key=learned["vocab"].__getitem__):
        vocabulary.setdefault(piece, len(vocabulary))
    merges = [tuple(pair) for pair in learned["merges"]]
    tokenizer = Tokenizer(models.BPE(vocabulary, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.add_special_tokens(special)
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return tokenizer


def _decoder_settings() -> dict[str, Any]:
    return {
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 96,
        "tie_word_embeddings": False,
        "bos_token_id": 1,
        "eos_token_id": 2,
    }


def _save_decoder(folder: Path, model_class: Any, config: Any, tokenizer: Any, template: str | None = None) -> Path:
    """Save random weights that generate words rather than bytes, and sometimes special tokens."""
    config.vocab_size = tokenizer.get_vocab_size()
    network = _randomized(model_class, config)
    network.lm_head.weight.data[:260] = 0
    _save_network(network, folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    all_settings = {"bos_token": tokenizer.id_to_token(config.bos_token_id or 0), "chat_template": template}
    tokenizer_settings = {name: value for name, value in all_settings.items() if value}
    (folder / "tokenizer_config.json").write_text(json.dumps(tokenizer_settings))
    return folder


def marian(folder: Path, **settings: Any) -> Path:
    """Marian of 64 positions in its published layout: a SentencePiece model for each language."""
    from transformers import MarianConfig, MarianMTModel

    pieces = {language: sentence_pieces(folder / f"{language}.spm", lines) for language, lines in MARIAN_TEXT.items()}
    both = sorted({*pieces["source"], *pieces["target"]})
    vocabulary = {piece: number for number, piece in enumerate(["</s>", "<unk>", *both, "<pad>"])}
    (folder / "vocab.json").write_text(json.dumps(vocabulary), encoding="utf-8")
    last = len(vocabulary) - 1
    own = {"vocab_size": len(vocabulary), "max_position_embeddings": 64, "pad_token_id": last, "eos_token_id": 0}
    config = MarianConfig(**_bart_settings() | own | {"decoder_start_token_id": last, "bos_token_id": 0} | settings)
    network = _randomized(MarianMTModel, config, 0.2)
    network.final_logits_bias[0, [1, last]] = -30
    _save_network(network, folder)
    return folder


def sentence_pieces(path: Path, lines: list[str]) -> list[str]:
    """Train and save a SentencePiece unigram model; return its pieces without the special ones."""
    import sentencepiece

    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines * 10),
        model_prefix=str(path.with_suffix("")),
        vocab_size=120,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    path.with_suffix(".model").rename(path)
    path.with_suffix(".vocab").unlink()
    model = sentencepiece.SentencePieceProcessor(model_file=str(path))
    return [model.id_to_piece(number) for number in range(3, model.get_piece_size())]


def _t5_settings() -> dict[str, Any]:
    return {
        "d_model": 32,
        "d_kv": 8,
        "d_ff": 64,
        "num_layers": 2,
        "num_heads": 4,
        "decoder_start_token_id": 0,
        "feed_forward_proj": "gated-gelu",
        "tie_word_embeddings": False,
        "n_positions": 48,
    }


def _bart_settings() -> dict[str, Any]:
    return {
        "d_model": 32,
        "encoder_layers": 2,
        "decoder_layers": 2,
        "encoder_attention_heads": 4,
        "decoder_attention_heads": 4,
        "encoder_ffn_dim": 64,
        "decoder_ffn_dim": 64,
        "bos_token_id": 0,
        "pad_token_id": 1,
        "eos_token_id": 2,
        "decoder_start_token_id": 2,
        "init_std": 0.3,
    }


def _save(folder: Path, model_class: Any, config: Any, tokenizer: Any) -> Path:
    """Save random weights, large enough that outputs depend on the input, that generate words rather than bytes."""
    config.vocab_size = tokenizer.get_vocab_size()
    network = _randomized(model_class, config)
    network.generation_config.forced_bos_token_id = 0 if config.model_type == "bart" else None
    if "t5" in config.model_type or "pegasus" in config.model_type:
        network.lm_head.weight.data[[0, 2]] = 0
    else:
        network.final_logits_bias[0, : len(BART_SPECIAL) + 256] = -30
        network.final_logits_bias[0, config.eos_token_id] = 0
    _save_network(network, folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def _randomized(model_class: Any, config: Any, strength: float = STRENGTH) -> Any:
    import torch

    torch.manual_seed(0)
    network = model_class(config).eval()
    with torch.no_grad():
        if config.tie_word_embeddings and not getattr(config, "scale_decoder_outputs", True):
            network.lm_head.weight = torch.nn.Parameter(torch.empty_like(network.shared.weight))
        for weights in network.parameters():
            if weights.dim() == 2:
                weights.normal_(0, strength)
    return network


def _save_network(network: Any, folder: Path) -> None:
    from transformers.utils import logging

    bars = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    network.save_pretrained(folder)
    if bars:
        logging.enable_progress_bar()


def bert(folder: Path, **settings: Any) -> Path:
    """A BERT classifier of two classes and 64 positions."""
    from transformers import BertConfig, BertForSequenceClassification

    own = _classifier_settings() | {"max_position_embeddings": 64, "pad_token_id": 1}
    return _save_classifier(folder, BertForSequenceClassification, BertConfig(**own | settings))


def longformer(folder: Path, **settings: Any) -> Path:
    """A Longformer classifier of two classes that takes 64 tokens, with positions that begin after the padding id."""
    from transformers import LongformerConfig, LongformerForSequenceClassification

    own = _classifier_settings() | {"max_position_embeddings": 66, "pad_token_id": 1, "attention_window": 8}
    return _save_classifier(folder, LongformerForSequenceClassification, LongformerConfig(**own | settings))


def _classifier_settings() -> dict[str, Any]:
    return {
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "id2label": {0: "Hero/Protagonist", 1: "Villain/Antagonist"},
        "label2id": {"Hero/Protagonist": 0, "Villain/Antagonist": 1},
    }


def _save_classifier(folder: Path, model_class: Any, config: Any) -> Path:
    tokenizer = byte_level()
    config.vocab_size = tokenizer.get_vocab_size()
    _save_network(_randomized(model_class, config), folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def bert_pairs(folder: Path, **settings: Any) -> Path:
    """A BERT cross-encoder of one output and 64 positions, with word pieces and a type for each text of a pair."""
    from transformers import BertConfig, BertForSequenceClassification

    own = _pair_settings() | {"max_position_embeddings": 64}
    return _save_pairs(folder, BertForSequenceClassification, BertConfig(**own | settings), _bert(folder))


def bert_spans(folder: Path, **settings: Any) -> Path:
    """A BERT of 64 positions that answers with spans."""
    from transformers import BertConfig, BertForQuestionAnswering

    own = _classifier_settings() | {"max_position_embeddings": 64}
    return _save_pairs(folder, BertForQuestionAnswering, BertConfig(**own | settings), _bert(folder))


def roberta_spans(folder: Path, **settings: Any) -> Path:
    """A RoBERTa that takes 64 tokens and answers with spans."""
    from transformers import RobertaConfig, RobertaForQuestionAnswering

    own = _classifier_settings() | {"max_position_embeddings": 66, "type_vocab_size": 1, "pad_token_id": 1}
    return _save_pairs(folder, RobertaForQuestionAnswering, RobertaConfig(**own | settings), _roberta(folder))


def longformer_spans(folder: Path, **settings: Any) -> Path:
    """A Longformer that takes 64 tokens and answers with spans."""
    from transformers import LongformerConfig, LongformerForQuestionAnswering

    own = _classifier_settings() | _longformer_settings()
    return _save_pairs(folder, LongformerForQuestionAnswering, LongformerConfig(**own | settings), _roberta(folder))


def bert_choices(folder: Path, **settings: Any) -> Path:
    """A BERT of 64 positions that chooses between options."""
    from transformers import BertConfig, BertForMultipleChoice

    own = _classifier_settings() | {"max_position_embeddings": 64}
    return _save_pairs(folder, BertForMultipleChoice, BertConfig(**own | settings), _bert(folder))


def longformer_choices(folder: Path, **settings: Any) -> Path:
    """A Longformer that takes 64 tokens and chooses between options."""
    from transformers import LongformerConfig, LongformerForMultipleChoice

    own = _classifier_settings() | _longformer_settings()
    return _save_pairs(folder, LongformerForMultipleChoice, LongformerConfig(**own | settings), _roberta(folder))


def roberta_pairs(folder: Path, **settings: Any) -> Path:
    """A RoBERTa cross-encoder of one output that takes 64 tokens: byte-level pieces, two separators, no types."""
    from transformers import RobertaConfig, RobertaForSequenceClassification

    own = _pair_settings() | {"max_position_embeddings": 66, "type_vocab_size": 1, "pad_token_id": 1}
    return _save_pairs(folder, RobertaForSequenceClassification, RobertaConfig(**own | settings), _roberta(folder))


def longformer_pairs(folder: Path, **settings: Any) -> Path:
    """A Longformer cross-encoder of one output that takes 64 tokens, with RoBERTa's tokenizer."""
    from transformers import LongformerConfig, LongformerForSequenceClassification

    own = _pair_settings() | {"max_position_embeddings": 66, "type_vocab_size": 1, "pad_token_id": 1}
    config = LongformerConfig(**own | {"attention_window": 8} | settings)
    return _save_pairs(folder, LongformerForSequenceClassification, config, _roberta(folder))


def _longformer_settings() -> dict[str, Any]:
    return {
        "max_position_embeddings": 66,
        "type_vocab_size": 1,
        "pad_token_id": 1,
        "bos_token_id": 0,
        "eos_token_id": 2,
        "sep_token_id": 2,
        "attention_window": 8,
    }


def _bert(folder: Path) -> Any:
    from transformers import BertTokenizerFast

    words = sorted({word.lower() for text in TEXT for word in re.findall("[A-Za-z]+", text)})
    letters = sorted({letter for word in words for letter in word})
    pieces = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        *"?,.",
        *letters,
        *(f"##{letter}" for letter in letters),
        *words,
    ]
    (folder / "vocab.txt").write_text("\n".join(dict.fromkeys(pieces)), encoding="utf-8")
    return BertTokenizerFast.from_pretrained(folder)


def _roberta(folder: Path) -> Any:
    from transformers import RobertaTokenizerFast

    byte_level().model.save(str(folder))
    return RobertaTokenizerFast.from_pretrained(folder)


def _pair_settings() -> dict[str, Any]:
    return _classifier_settings() | {"id2label": {0: "LABEL_0"}, "label2id": {"LABEL_0": 0}}


def _save_pairs(folder: Path, model_class: Any, config: Any, tokenizer: Any) -> Path:
    config.vocab_size = len(tokenizer)
    _save_network(_randomized(model_class, config), folder)
    tokenizer.save_pretrained(folder)
    return folder


def colbert(folder: Path) -> Path:
    """A ColBERT model as sentence-transformers saves it: a BERT of 64 positions, 8 dimensions per token, a mask."""
    import sentence_transformers
    import torch
    from sentence_transformers.base.modules import Dense, Transformer
    from sentence_transformers.multi_vector_encoder.modules import MultiVectorMask

    (folder / "bert").mkdir()
    bert_pairs(folder / "bert")
    torch.manual_seed(0)
    encoder = Transformer(str(folder / "bert"), document_length=48, query_length=24)
    projection = Dense(
        32, 8, bias=False, module_input_name="token_embeddings", module_output_name="token_embeddings"
    )  # fmt: skip
    model = sentence_transformers.MultiVectorEncoder(modules=[encoder, projection, MultiVectorMask()], device="cpu")
    model.save_pretrained(str(folder / "colbert"), create_model_card=False)
    return folder / "colbert"
