"""List, find and load what has a name: models, lexica, word sets, association tests, pairs, corpora, templates."""
