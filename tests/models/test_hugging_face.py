"""Small Hugging Face models with random weights: results, gradients and generated tokens are the CPU's."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
import transformers
from torch import nn
from torch.utils._pytree import tree_leaves

VOCABULARY = 120
TEXT = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
}
VISION = {**TEXT, "image_size": 32, "patch_size": 8}
GROUPED = {**TEXT, "num_key_value_heads": 2}
SPECIAL = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1}


def _tokens(length: int = 16) -> torch.Tensor:
    return torch.randint(3, VOCABULARY, (2, length))


def _text() -> dict[str, torch.Tensor]:
    return {"input_ids": _tokens()}


def _translation() -> dict[str, torch.Tensor]:
    return {"input_ids": _tokens(), "labels": _tokens(8)}


def _image() -> dict[str, torch.Tensor]:
    return {"pixel_values": torch.randn(2, 3, 32, 32)}


Inputs = Callable[[], dict[str, torch.Tensor]]


def _case(model: str, config: str, inputs: Inputs, options: dict[str, Any]) -> Any:
    return pytest.param(model, config, inputs, options, id=model)


CASES = [
    _case("LlamaForCausalLM", "LlamaConfig", _text, GROUPED),
    _case("Qwen2ForCausalLM", "Qwen2Config", _text, GROUPED),
    _case("Gemma2ForCausalLM", "Gemma2Config", _text, {**GROUPED, "head_dim": 8}),
    _case("Phi3ForCausalLM", "Phi3Config", _text, {**GROUPED, "pad_token_id": 0}),
    _case("GPT2LMHeadModel", "GPT2Config", _text,
          {"vocab_size": VOCABULARY, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64}),
    _case("OPTForCausalLM", "OPTConfig", _text,
          {**TEXT, "ffn_dim": 64, "word_embed_proj_dim": 32, "max_position_embeddings": 64}),
    _case("MixtralForCausalLM", "MixtralConfig", _text, {**GROUPED, "num_local_experts": 4}),
    _case("Qwen2MoeForCausalLM", "Qwen2MoeConfig", _text,
          {**GROUPED, "num_experts": 4, "moe_intermediate_size": 16, "shared_expert_intermediate_size": 16}),
    _case("MambaForCausalLM", "MambaConfig", _text,
          {"vocab_size": VOCABULARY, "hidden_size": 32, "state_size": 8, "num_hidden_layers": 2}),
    _case("Mamba2ForCausalLM", "Mamba2Config", _text,
          {"vocab_size": VOCABULARY, "hidden_size": 32, "state_size": 8, "num_hidden_layers": 2, "num_heads": 8,
           "head_dim": 8, "n_groups": 1, "chunk_size": 8}),
    _case("BertForMaskedLM", "BertConfig", _text, TEXT),
    _case("RobertaForSequenceClassification", "RobertaConfig", _text, TEXT),
    _case("DebertaV2Model", "DebertaV2Config", _text,
          {**TEXT, "relative_attention": True, "pos_att_type": ["p2c", "c2p"]}),
    _case("ElectraModel", "ElectraConfig", _text, {**TEXT, "embedding_size": 16}),
    _case("T5ForConditionalGeneration", "T5Config", _translation,
          {"vocab_size": VOCABULARY, "d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4, **SPECIAL}),
    _case("BartForConditionalGeneration", "BartConfig", _translation,
          {"vocab_size": VOCABULARY, "d_model": 32, "encoder_layers": 2, "decoder_layers": 2,
           "encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64,
           "max_position_embeddings": 64}),
    _case("WhisperForConditionalGeneration", "WhisperConfig",
          lambda: {"input_features": torch.randn(2, 20, 100), "labels": _tokens(8)},
          {"vocab_size": VOCABULARY, "d_model": 32, "encoder_layers": 2, "decoder_layers": 2,
           "encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64,
           "max_source_positions": 50, "max_target_positions": 32, "num_mel_bins": 20, **SPECIAL}),
    _case("Wav2Vec2Model", "Wav2Vec2Config", lambda: {"input_values": torch.randn(2, 800)},
          {**TEXT, "conv_dim": (16, 16), "conv_kernel": (10, 3), "conv_stride": (5, 2), "num_feat_extract_layers": 2,
           "num_conv_pos_embeddings": 8, "num_conv_pos_embedding_groups": 2}),
    _case("ViTForImageClassification", "ViTConfig", _image, VISION),
    _case("SwinModel", "SwinConfig", _image,
          {"image_size": 32, "patch_size": 4, "embed_dim": 16, "depths": [1, 1], "num_heads": [2, 4],
           "window_size": 4}),
    _case("ConvNextModel", "ConvNextConfig", _image, {"hidden_sizes": [16, 32], "depths": [1, 1], "num_stages": 2}),
    _case("SegformerModel", "SegformerConfig", _image,
          {"num_encoder_blocks": 2, "depths": [1, 1], "sr_ratios": [2, 1], "hidden_sizes": [16, 32],
           "patch_sizes": [7, 3], "strides": [4, 2], "num_attention_heads": [1, 2], "mlp_ratios": [2, 2]}),
    _case("CLIPModel", "CLIPConfig", lambda: {**_text(), **_image()},
          {"text_config": {**TEXT, "eos_token_id": 2}, "vision_config": VISION, "projection_dim": 16}),
]  # fmt: skip


def _model(model: str, config: str, options: dict[str, Any]) -> nn.Module:
    torch.manual_seed(0)
    return getattr(transformers, model)(getattr(transformers, config)(**options)).eval()


def _floats(results: Any) -> list[torch.Tensor]:
    return [leaf for leaf in tree_leaves(dict(results)) if isinstance(leaf, torch.Tensor) and leaf.is_floating_point()]


def _gradients(model: nn.Module, results: list[torch.Tensor]) -> dict[str, torch.Tensor]:
    sum(result.square().mean() for result in results if result.requires_grad).backward()
    return {name: parameter.grad for name, parameter in model.named_parameters() if parameter.grad is not None}


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize(("model", "config", "inputs", "options"), CASES)
def test_forward_and_backward(
    model: str, config: str, inputs: Inputs, options: dict[str, Any], compiled: bool, device: str, accelerator: Any
) -> None:
    host = _model(model, config, options)
    moved = copy.deepcopy(host).to(device)
    sample = inputs()
    expected = _floats(host(**sample))
    torch._dynamo.reset()
    run = torch.compile(moved) if compiled else moved
    actual = _floats(run(**{name: value.to(device) for name, value in sample.items()}))
    assert len(actual) == len(expected) > 0
    for one, other in zip(actual, expected, strict=True):
        torch.testing.assert_close(one.detach().cpu(), other.detach(), rtol=1e-4, atol=1e-5)
    mine, theirs = _gradients(moved, actual), _gradients(host, expected)
    assert mine.keys() == theirs.keys()
    # Some gradients are zero but for rounding (a key's bias), so they are judged by the size of all.
    largest = max(grad.abs().max().item() for grad in theirs.values())
    for name, grad in theirs.items():
        torch.testing.assert_close(mine[name].cpu(), grad, rtol=1e-3, atol=1e-5 * max(largest, 1.0))


GENERATING = (
    "LlamaForCausalLM",
    "GPT2LMHeadModel",
    "MixtralForCausalLM",
    "MambaForCausalLM",
    "T5ForConditionalGeneration",
)


@pytest.mark.parametrize(
    ("model", "config", "inputs", "options"), [case for case in CASES if case.values[0] in GENERATING]
)
def test_generate(
    model: str, config: str, inputs: Inputs, options: dict[str, Any], device: str, accelerator: Any
) -> None:
    host = _model(model, config, options)
    moved = copy.deepcopy(host).to(device)
    prompt = _tokens(5)
    generate = {"max_new_tokens": 6, "do_sample": False, "pad_token_id": 0}
    expected = host.generate(input_ids=prompt, **generate)
    actual = moved.generate(input_ids=prompt.to(device), **generate)
    assert actual.tolist() == expected.tolist()
