"""The torch.compile backend: `torch.compile(model)` on device tensors, or `torch.compile(model, backend="tpu")`.

Dynamo and AOTAutograd make graphs of functional ATen calls: forward, backward, or both in one. Each graph runs its
calls once, which records them through the same rows as eager calls; from then on it is one program, found by its
arguments (`crates/engine/src/graph.rs`). Nothing is decomposed beforehand: an operator without a row is decomposed
while it is recorded, as in eager mode.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.partitioners import min_cut_rematerialization_partition
from torch._guards import TracingContext

from torch_pjrt import _C
from torch_pjrt.compiler import custom_compiler_options

__all__ = ["MODES", "compile_graph"]

log = logging.getLogger(__name__)

# What each `mode=` of torch.compile adds to the plugin's compiler options. A program has no launches within it that
# CUDA graphs could save, and the plugin's compiler tunes by itself, so the modes ask for the same.
MODES: Mapping[str, Mapping[str, str | int | bool]] = {
    "default": {},
    "reduce-overhead": {},
    "max-autotune": {},
    "max-autotune-no-cudagraphs": {},
    "lite": {},
}

CompiledGraph = Callable[[list[Any]], Sequence[Any]]


def compile_graph(
    module: torch.fx.GraphModule,
    example_inputs: Sequence[Any],
    *,
    mode: str | None = None,
    options: Mapping[str, str | int | bool] | None = None,
) -> Callable[..., Any]:
    """Compiles one of Dynamo's graphs: what torch.compile calls.

    Args:
        module: the graph.
        example_inputs: fake tensors and symbolic sizes.
        mode: one of `MODES`.
        options: options of the plugin's compiler by name, as for `torch.tpu.compiler.custom_compiler_options`.

    Raises:
        ValueError: an unknown mode.
        TypeError: an option whose name is not a string, or whose value is not a string, an int or a bool.
    """
    if mode is not None and mode not in MODES:
        raise ValueError(f"unknown mode {mode!r} of torch.compile; it has to be one of {', '.join(MODES)}")
    compiler_options = {**MODES[mode or "default"], **(options or {})}
    compiler = functools.partial(_compile, options=compiler_options, saved_dims={})
    return aot_autograd(
        fw_compiler=functools.partial(compiler, is_forward=True),
        bw_compiler=compiler,
        inference_compiler=compiler,
        partition_fn=min_cut_rematerialization_partition,
        keep_inference_input_mutations=True,
    )(module, example_inputs)


def _compile(
    module: torch.fx.GraphModule,
    example_inputs: Sequence[Any],  # noqa: ARG001
    *,
    options: Mapping[str, str | int | bool],
    saved_dims: dict[str, Any],
    is_forward: bool = False,
) -> CompiledGraph:
    """One of AOTAutograd's graphs. `is_forward`: it also returns what the backward graph needs."""
    graph: Any
    if any(isinstance(node.meta.get("val"), torch.SymInt) for node in module.graph.nodes if node.op == "placeholder"):
        from torch_pjrt.bucketing import BucketedGraph

        metadata: Any = TracingContext.get().fw_metadata
        graph = BucketedGraph(
            module, _obstacle(module), saved_dims, metadata.num_forward_returns if is_forward else None
        )
    else:
        graph = _C.Graph(module.forward, _obstacle(module))
    log.debug("a graph of %d nodes", len(module.graph.nodes))

    def run(arguments: list[Any]) -> Any:
        return graph(arguments)

    def run_with_options(arguments: list[Any]) -> Any:
        with custom_compiler_options(options):
            return graph(arguments)

    # A function, because Dynamo's wrappers keep the attributes of functions only.
    compiled = run_with_options if options else run
    compiled._boxed_call = True  # type: ignore[attr-defined]
    return compiled


def _obstacle(module: torch.fx.GraphModule) -> str:
    """Why a graph's calls are not the same each time; empty if they are."""
    states = {"run_and_save_rng_state", "run_with_rng_state", "graphsafe_run_with_rng_state"}
    for node in module.graph.nodes:
        if getattr(node.target, "__name__", None) in states:
            return "it saves the generator's state on the host"
    return ""
