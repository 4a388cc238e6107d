"""VAST (Wolfe & Caliskan 2022): what a language model knows of a word, layer by layer."""

from wordworth.study.vast.study import EXPERIMENTS, SETTINGS, vast

__all__ = ["EXPERIMENTS", "SETTINGS", "vast"]
