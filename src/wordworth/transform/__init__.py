"""Functions from an embedding to an embedding: take the mean, components or a subspace out."""

from wordworth.transform.components import Components, fit_components, nullify
from wordworth.transform.projection import orthonormal, project_out

__all__ = ["Components", "fit_components", "nullify", "orthonormal", "project_out"]
