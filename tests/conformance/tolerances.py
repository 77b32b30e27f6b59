"""Where the device needs a wider tolerance than PyTorch's own tests give it. One line each: (rtol, atol, why).

PyTorch's own comparison of a device with the CPU (`TestCommon.test_compare_cpu`) allows 1e-3 for everything; here an
operator has assert_close's tolerance for its dtype or what the database says, unless it is listed.
"""

from __future__ import annotations

import torch

_ORDER = "float32 sums of other order than the CPU's"

# Modules, in float32.
WIDENED_MODULES: dict[str, tuple[float, float, str]] = {
    "nn.CTCLoss": (1e-4, 3e-5, "a sum of 50 logarithms in float32"),
}

WIDENED: dict[tuple[str, torch.dtype], tuple[float, float, str]] = {
    ("matrix_exp", torch.float32): (1e-4, 1e-2, "squarings of a matrix whose entries grow to 1e5"),
    ("fft_hfft2", torch.float32): (2e-5, 4e-5, _ORDER),
    ("nn_functional_ctc_loss", torch.float32): (1e-4, 3e-5, "a sum of 50 logarithms in float32"),
    ("logcumsumexp", torch.float32): (1e-4, 5e-3, "an ill-conditioned gradient: the CPU's is as far from float64's"),
    ("cumprod", torch.float32): (1e-5, 3e-5, _ORDER),
    ("nn_functional_normalize", torch.float32): (1e-5, 1e-4, _ORDER),
    ("special_log_ndtr", torch.float32): (1e-5, 3e-5, "a second derivative with cancellation"),
    ("kron", torch.float32): (1.3e-6, 5e-5, _ORDER),
    ("nn_functional_conv_transpose3d", torch.float32): (1.3e-6, 5e-5, _ORDER),
    ("nn_functional_layer_norm", torch.float32): (1e-5, 3e-5, _ORDER),
    ("triangular_solve", torch.float32): (1.3e-6, 5e-5, _ORDER),
    ("grid_sampler_3d", torch.float32): (1e-5, 1e-4, _ORDER),
    ("linalg_householder_product", torch.float32): (1.3e-6, 5e-5, _ORDER),
    ("linalg_pinv_hermitian", torch.float32): (1e-5, 1e-4, _ORDER),
    ("linalg_lstsq", torch.float32): (1e-5, 1e-4, "a gradient through the inverse of a product"),
    ("linalg_lstsq", torch.complex64): (2e-5, 1e-4, "a gradient through the inverse of a product"),
    ("linalg_lstsq_grad_oriented", torch.float32): (1e-5, 1e-4, "a gradient through the inverse of a product"),
    ("linalg_lstsq_grad_oriented", torch.complex64): (2e-5, 1e-4, "a gradient through the inverse of a product"),
    ("linalg_cond", torch.float32): (1e-5, 3e-4, "a quotient of the largest and the smallest singular value"),
    ("linalg_eigh", torch.float32): (1e-4, 5e-5, "a gradient with differences of eigenvalues as divisors"),
    ("linalg_eigh", torch.complex64): (1e-4, 5e-5, "a gradient with differences of eigenvalues as divisors"),
    ("logcumsumexp", torch.complex64): (1e-3, 5e-3, "an ill-conditioned gradient: the CPU's is as far from float64's"),
    ("linalg_cond", torch.complex64): (1e-5, 3e-4, "a quotient of the largest and the smallest singular value"),
    ("linalg_pinv_hermitian", torch.complex64): (1e-5, 2e-4, _ORDER),
    ("matrix_exp", torch.complex64): (1e-4, 1e-2, "squarings of a matrix whose entries grow to 1e5"),
    ("addbmm", torch.complex64): (1e-5, 1e-4, _ORDER),
    ("baddbmm", torch.complex64): (1e-5, 1e-4, _ORDER),
}
