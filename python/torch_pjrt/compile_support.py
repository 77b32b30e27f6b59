"""What torch keeps for devices that it knows by name, and that torch.compile needs for this one too.

Nothing is imported for it: each change is made when torch imports the module itself.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import torch

from torch_pjrt._when_imported import when_imported

__all__ = ["install", "is_for_device"]


def install(device: str) -> None:
    """Makes graphs on `device` compile with our backend by default, with flex_attention and random numbers in them."""
    _be_default_backend(device)
    when_imported("torch.nn.attention.flex_attention", lambda module: _accept_flex_attention(module, device))
    when_imported("torch._prims.rng_prims", lambda module: _save_states_of_generators(module, device))
    when_imported("torch._meta_registrations", _accept_float32_groups)


def is_for_device(module: torch.fx.GraphModule, example_inputs: Any, device: str) -> bool:
    """Whether the graph computes on `device`: with its tensors, or by making tensors there."""
    for example in example_inputs:
        if isinstance(example, torch.Tensor) and example.device.type != "cpu":
            return example.device.type == device
    values = (node.meta.get("example_value") for node in module.graph.nodes)
    return any(isinstance(value, torch.Tensor) and value.device.type == device for value in values)


def _be_default_backend(device: str) -> None:
    inductor = torch._TorchCompileInductorWrapper
    compile_with_inductor = inductor.__call__

    def compile_graph(self: Any, module: Any, example_inputs: Any, **kwargs: Any) -> Any:
        if not is_for_device(module, example_inputs, device):
            return compile_with_inductor(self, module, example_inputs, **kwargs)
        from torch_pjrt import dynamo

        return dynamo.compile_graph(module, example_inputs)

    inductor.__call__ = compile_graph  # type: ignore[assignment,method-assign]


def _accept_flex_attention(module: Any, device: str) -> None:
    validate = module._validate_device

    def validate_device(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> None:
        if query.device.type != device:
            validate(query, key, value)

    module._validate_device = validate_device


def _accept_float32_groups(module: Any) -> None:
    """Gives float32 `_grouped_mm` a shape: PyTorch's shape function knows the CUDA kernel's dtypes only.

    Mixture-of-experts layers call it, in eager mode with any dtype.
    """
    narrow_shape = module._meta_grouped_mm_common

    def shape(mat_a: torch.Tensor, mat_b: torch.Tensor, *, scale_a: Any, **options: Any) -> Any:
        if scale_a is not None or mat_a.dtype != torch.float32 or mat_b.dtype != torch.float32:
            return narrow_shape(mat_a, mat_b, scale_a=scale_a, **options)
        torch._check(
            mat_a.dim() in (2, 3) and mat_b.dim() in (2, 3) and mat_a.shape[-1] == mat_b.shape[-2],
            lambda: f"_grouped_mm multiplies matrices or batches of them, not {mat_a.shape} and {mat_b.shape}",
        )
        offsets = options.get("offs")
        groups = [offsets.shape[0]] if mat_a.dim() == mat_b.dim() == 2 and offsets is not None else []
        batch = [mat_a.shape[0]] if mat_a.dim() == mat_b.dim() == 3 else groups
        return mat_a.new_empty([*batch, mat_a.shape[-2], mat_b.shape[-1]])

    module._meta_grouped_mm_common = shape


# Bytes of a generator's state: seed and number of draws.
_STATE_BYTES = 16


def _save_states_of_generators(module: ModuleType, device: str) -> None:
    """Lets a checkpoint's second run of a random operator draw the first one's numbers."""
    from torch._higher_order_ops.utils import registered_hop_fake_fns

    states: Any = torch.get_device_module(device)

    def run_and_save(op: Any, *args: Any, **kwargs: Any) -> Any:
        return states.get_rng_state(), op(*args, **kwargs)

    def fake_run_and_save(op: Any, *args: Any, **kwargs: Any) -> Any:
        return torch.empty(_STATE_BYTES, dtype=torch.uint8, device="cpu"), op(*args, **kwargs)

    def run_with(state: torch.Tensor, op: Any, *args: Any, **kwargs: Any) -> Any:
        current = states.get_rng_state()
        states.set_rng_state(state)
        try:
            return op(*args, **kwargs)
        finally:
            states.set_rng_state(current)

    def is_ours(args: Any, kwargs: Any) -> bool:
        # The state that `run_with` takes is on the CPU.
        tensors = [arg for arg in args if isinstance(arg, torch.Tensor)]
        return any(tensor.device.type == device for tensor in tensors) or module.get_device(args, kwargs) == device

    def extend(operator: Any, run: Callable[..., Any], fake: Callable[..., Any] | None) -> None:
        from torch._C import DispatchKey
        from torch.fx.experimental.proxy_tensor import (
            ProxyTorchDispatchMode,
            disable_proxy_modes_tracing,
            track_tensor_tree,
        )
        from torch.utils._pytree import tree_map

        of_others = operator.py_kernels[DispatchKey.BackendSelect]
        trace_others = operator.python_key_table[ProxyTorchDispatchMode]
        fake_others = registered_hop_fake_fns[operator]

        def select(*args: Any, **kwargs: Any) -> Any:
            return (run if is_ours(args, kwargs) else of_others)(*args, **kwargs)

        def trace(mode: Any, *args: Any, **kwargs: Any) -> Any:
            if not is_ours(args, kwargs):
                return trace_others(mode, *args, **kwargs)
            with disable_proxy_modes_tracing():
                results = operator(*args, **kwargs)
            arguments, named = (tree_map(mode.tracer.unwrap_proxy, part) for part in (args, kwargs))
            node = mode.tracer.create_proxy("call_function", operator, arguments, named)
            return track_tensor_tree(results, node, constant=None, tracer=mode.tracer)

        operator.py_kernels[DispatchKey.BackendSelect] = select
        operator.python_key_table[ProxyTorchDispatchMode] = trace
        if fake is not None:
            registered_hop_fake_fns[operator] = lambda *args, **kwargs: (
                fake if is_ours(args, kwargs) else fake_others
            )(*args, **kwargs)

    extend(module.run_and_save_rng_state, run_and_save, fake_run_and_save)
    extend(module.run_with_rng_state, run_with, None)
