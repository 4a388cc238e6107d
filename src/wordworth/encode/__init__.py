"""Sentences become word vectors. Importing this room loads torch and transformers, so import it where it is used."""

from wordworth.encode.batches import Tally
from wordworth.encode.encoding import Encoded, Shard, encode, encode_shard
from wordworth.encode.model import LanguageModel, load_model, wrap
from wordworth.encode.pooling import POOLINGS, Pooling, pool
from wordworth.encode.precision import Deviation, deviation
from wordworth.encode.spans import Failure
from wordworth.encode.store import VectorStore, encode_to_store

__all__ = [
    "POOLINGS",
    "Deviation",
    "Encoded",
    "Failure",
    "LanguageModel",
    "Pooling",
    "Shard",
    "Tally",
    "VectorStore",
    "deviation",
    "encode",
    "encode_shard",
    "encode_to_store",
    "load_model",
    "pool",
    "wrap",
]
