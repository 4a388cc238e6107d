"""What a model predicted, a row a word: the table that the prediction fills and the measures read.

It grows with the text, so its types are small: a word is held once, however often it stands there.
"""

import polars as pl

PREDICTIONS = {
    "document": pl.Int32,
    "line": pl.Int32,
    "at": pl.Int32,
    "glued": pl.Boolean,
    "word": pl.Categorical,
    "guess": pl.Categorical,
    "hit1": pl.Boolean,
    "hitk": pl.Boolean,
    "logp": pl.Float64,
    "logp_naive": pl.Float64,
    "units": pl.Int32,
    "left_out": pl.Categorical,
    "form": pl.Categorical,
}
"""`line` (0, 1, … in the text) and `at` (0, 1, … in the line) say where the word stands; `glued`, that no space is
before it, as before a comma. `guess` is what greedy
decoding gives. `hit1`: the guess is the word; `hitk`: a path of units, each among the k best, spells it. `logp` is the
natural logarithm of the word's probability, its end included; `logp_naive` that of the plain product over its units.
`units` are the tokenizer's own for the word. Where `left_out` gives a reason, the word was not predicted and
the rest is null. `form` is the word as the model reads it (lower case, say); guesses are in that form too, and a blank
guess says that the model would end the text or the line."""
