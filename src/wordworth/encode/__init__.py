"""Sentences become word vectors. Importing this room loads torch and transformers, so import it where it is used."""

from wordworth.encode.accumulators import CONTEXT, POOLINGS_OF_BOTH, SUBWORD, split_pooling
from wordworth.encode.aggregation import Aggregate, Weighting, aggregate
from wordworth.encode.batches import Tally
from wordworth.encode.encoding import Encoded, Shard, encode, encode_shard
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
    "Deviation",
    "Encoded",
    "Failure",
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
    "load_model",
    "pool",
    "split_pooling",
    "wrap",
]
