"""How each operator runs on padded tensors: the entries of `RULES`, one for an overload, a file for a family.

A rule masks what its operator would mix with the padding, runs the operator, and says where the results' elements are.
Operators that work on each element alone have one rule in common.
"""

from torch_pjrt.bucketing.rules import (
    constants,
    convolution,
    elementwise,
    indices,
    losses,
    normalization,
    products,
    reductions,
    softmax,
    views,
)

__all__ = [
    "constants", "convolution", "elementwise", "indices", "losses", "normalization", "products", "reductions",
    "softmax", "views",
]  # fmt: skip
