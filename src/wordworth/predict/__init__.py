"""Whole-word prediction by causal and masked language models (Dudy & Bedrick 2020). Importing this room loads torch and
transformers, so import it where it is used."""

from wordworth.predict.model import WordModel, load_word_model, wrap_word_model
from wordworth.predict.predict import Boundary, predict_words
from wordworth.predict.predictions import PREDICTIONS

__all__ = ["PREDICTIONS", "Boundary", "WordModel", "load_word_model", "predict_words", "wrap_word_model"]
