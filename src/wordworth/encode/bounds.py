"""Sizes that a configuration may declare: a network is laid out by them before any weight is seen."""

from transformers import PretrainedConfig

from wordworth.errors import WordworthError

MOST_LAYERS = 1_000
MOST = 1 << 24
"""Of all other sizes; more words or positions than any model has."""
_HEADS = ("num_attention_heads", "num_key_value_heads")
_SIZES = ("vocab_size", "hidden_size", "intermediate_size", "max_position_embeddings", "n_inner", "num_labels")


def refuse_huge(config: PretrainedConfig, named: str) -> None:
    """Stops at a configuration whose sizes no model has, before time or memory is taken for them."""
    for name in _HEADS:
        heads = getattr(config, name, None)
        if isinstance(heads, int) and heads < 1:
            raise WordworthError(f"the configuration of {named} says that {name} is {heads}; fetch the model again")
    largest = {"num_hidden_layers": MOST_LAYERS, "num_layers": MOST_LAYERS} | dict.fromkeys(_SIZES, MOST)
    for name, most in largest.items():
        size = getattr(config, name, None)
        if isinstance(size, int) and not -1 <= size <= most:
            raise WordworthError(
                f"the configuration of {named} says that {name} is {str(size)[:40]}, and at most {most:,} is read; "
                "fetch the model again"
            )
