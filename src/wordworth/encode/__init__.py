"""Sentences become word vectors. Importing this room loads torch and transformers, so import it where it is used."""

from wordworth.encode.accumulators import CONTEXT, POOLINGS_OF_BOTH, SUBWORD, split_pooling
from wordworth.encode.aggregation import Aggregate, Weighting, aggregate
from wordworth.encode.batches import Tally
from wordworth.encode.encoding import Encoded, Shard, encode, encode_shard
from wordworth.encode.layers import Aggregated, Aggregating, InContexts, in_contexts, over_sentences
from wordworth.encode.model import LanguageModel, load_model, wrap
from wordworth.encode.pooling import POOLINGS, Pooling, pool
from wordworth.encode.precision import Deviation, deviation
from wordworth.encode.spans import Failure
from wordworth.encode.store import VectorStore, encode_to_store

__all__ = [
    "CONTEXT",
    "POOLINGS",
    "POOLINGS_OF_BOTH",
    "SUBWORD",
    "Aggregate",
    "Aggregated",
    "Aggregating",
    "Deviation",
    "Encoded",
    "Failure",
    "InContexts",
    "LanguageModel",
    "Pooling",
    "Shard",
    "Tally",
    "VectorStore",
    "Weighting",
    "aggregate",
    "deviation",
    "encode",
    "encode_shard",
    "encode_to_store",
    "in_contexts",
    "load_model",
    "over_sentences",
    "pool",
    "split_pooling",
    "wrap",
]
