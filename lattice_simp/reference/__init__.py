"""The reference implementation of operations in OpenFst, with which the kernels of `ops` are compared.

Names and arguments are those of `ops`, without those that only the kernels have. Results hold the same strings at the
same costs (in single precision, as in OpenFst), but states, arcs and ties may differ, and features are left out.
Everything without a matcher in OpenFst (rho, sigma, edits, backoff) is written out arc by arc, so inputs must be small.

- `gappy_acceptor`: skeleton hypotheses with loops `<rho>` or `<sigma>`
- `compose_gappy`: full hypotheses that contain one
- `apply_lm`: adds the costs of a language model
- `prune`, `nbest`, `shortest_distance`, `arc_posteriors`: the best paths, and the probabilities of arcs
- `replace`: words become lattices (a recursive transition network);  `expand`: the same for rules that refer to others
"""

from lattice_simp.reference.gappy import compose_gappy, gappy_acceptor
from lattice_simp.reference.language_model import apply_lm
from lattice_simp.reference.network import expand, replace
from lattice_simp.reference.paths import arc_posteriors, nbest, prune, shortest_distance

__all__ = [
    "apply_lm",
    "arc_posteriors",
    "compose_gappy",
    "expand",
    "gappy_acceptor",
    "nbest",
    "prune",
    "replace",
    "shortest_distance",
]
