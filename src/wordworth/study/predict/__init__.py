"""The study `predict`: language models as predictors of whole words (Dudy & Bedrick 2020)."""

from wordworth.study.predict.study import predict

__all__ = ["predict"]
