"""Under which condition a number was measured, here and in a paper: only like is held against like.

A mitigated network is one of two things: it was trained on vectors that something was taken out of, or it is given such
vectors at test alone. Runs tell them apart (`trained_without` of a model), and so does `setting` of a published number.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from wordworth.run import ORIGINAL, RANDOM

RETRAINED = "retrained"
AT_TEST = ("projection", RANDOM)
OTHERWISE = f"{RETRAINED}:otherwise"
"""Trained without something that no paper takes out."""
ALL_LAYERS = "all-layers"
WIKITEXT = ("wikitext", "wiki.train", "wiki-103")
"""How the names of WikiText-103's train part begin; files of users' own too."""
LANGUAGES = 7


@dataclass(frozen=True)
class Networks:
    """What the networks of some runs were trained without, and what was taken out at test."""

    without: dict[str, str]
    """Name → setting, such as `retrained:gender`, of those that were trained without something."""
    layered: frozenset[str]
    """Networks over ELMo that several layers were changed of at test, which no paper does."""
    debiased: dict[str, str]
    """Embedding → the kind of bias that a `debias` took out of it; blank: one that no paper takes out."""

    def setting(self, row: dict[str, Any]) -> str:
        """A score's setting as published numbers have it: a network trained anew is not the original one."""
        setting, model = str(row["setting"] or ""), str(row["model"])
        if setting in self.without:
            return self.without[setting]
        if model in self.without:
            return self.without[model] if setting in ("", ORIGINAL) else OTHERWISE
        if setting.partition(":")[0] not in AT_TEST:
            return setting
        if model in self.layered:
            return OTHERWISE
        if row.get("study") != "debias" or model not in self.debiased:
            return setting
        if row["experiment"] == "accuracy":  # as `infer` names it: which bias is not said by the labelled pairs
            return f"{setting}:{self.debiased[model]}"
        return setting if self.debiased[model] == row["dataset"] else OTHERWISE


def networks(
    facts: dict[str, dict[str, Any]], subspaces: Iterable[tuple[str, str, float]], declared: dict[str, dict[str, Any]]
) -> Networks:
    """From what the manifests say of their models, and the subspaces that papers take out.

    `subspaces` are (embedding, name, dimensions) of what `debias` took out.
    """
    # A label may say which run a model is of; settings have the name alone.
    names = [(name, one) for label, one in facts.items() for name in {label, label.partition(" (")[0]}]
    trained = {name: _retrained(one["trained_without"], declared) for name, one in names if one.get("trained_without")}
    layered = frozenset(name for name, one in names if one.get("elmo_layers"))
    return Networks(trained, layered, {model: _kind(name, int(size), declared) for model, name, size in subspaces})


def _kind(subspace: str, dimensions: int, declared: dict[str, dict[str, Any]]) -> str:
    """gender, nationality or religion; blank for a subspace that no paper takes out."""
    kinds = (kind for kind, one in declared.items() if subspace in one["subspaces"] and dimensions == one["dimensions"])
    return next(kinds, "")


def _retrained(taken: dict[str, Any], declared: dict[str, dict[str, Any]]) -> str:
    subspace, layers = str(taken["subspace"]), taken.get("layers") or []
    kind = RANDOM if subspace.partition(":")[0] == RANDOM else _kind(subspace, int(taken["dimensions"]), declared)
    if not kind or len(layers) == 1:
        return OTHERWISE
    return f"{RETRAINED}:{kind}:{ALL_LAYERS}" if layers else f"{RETRAINED}:{kind}"


def at_test(published: str, measure: str) -> tuple[str, ...]:
    """Our settings that are nearest to a network trained anew, and unlike it; none for other settings."""
    kind, _, what = published.partition(":")
    if kind != RETRAINED or what.endswith(ALL_LAYERS):
        return ()
    if measure == "accuracy":
        return (f"projection:{what}",)
    return (RANDOM,) if what == RANDOM else ("projection",)


def in_words(setting: str) -> str:
    """What a published setting says of the network; blank where it says nothing."""
    kind, _, what = setting.partition(":")
    if kind == RETRAINED:
        what, _, layers = what.partition(":")
        taken = "a random direction" if what == RANDOM else what
        return f"trained without {taken}{', in all layers' if layers else ''}"
    return "at test alone" if setting in AT_TEST else ""


def unlike(condition: str, ours: dict[str, Any], facts: dict[str, Any]) -> str:
    """Why one of our numbers does not meet the condition of a published one; blank where it does."""
    if condition == "fine-tuned":
        text = str(facts.get("fine_tuned") or "")
        if not text:
            return "fine-tuned on WikiText-103 there, as it is here"
        return "" if text.startswith(WIKITEXT) else f"fine-tuned on WikiText-103 there, on {text} here"
    if condition == "seven languages" and ours["n"] != LANGUAGES:
        return f"over {LANGUAGES} languages there, over {ours['n']} here"
    return ""
