"""The networks that are measured, in plain PyTorch, and their AdamW steps."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn
from torch.nn import functional as F

MLP_WIDTH, MLP_BLOCKS, MLP_BATCH = 256, 4, 64
GPT_WIDTH, GPT_LAYERS, GPT_HEADS, GPT_TOKENS, GPT_BATCH, GPT_VOCABULARY = 256, 4, 8, 128, 8, 1024


class FeedForward(nn.Module):
    """[..., width] -> [..., width], four times as wide inside."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.expand = nn.Linear(width, 4 * width)
        self.contract = nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.contract(F.gelu(self.expand(x)))


class MlpBlock(nn.Module):
    """[batch, width] -> [batch, width]."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.feed_forward = FeedForward(width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.feed_forward(self.norm(x))


class Mlp(nn.Sequential):
    """[batch, 256] -> [batch, 256], four residual blocks."""

    def __init__(self) -> None:
        super().__init__(*(MlpBlock(MLP_WIDTH) for _ in range(MLP_BLOCKS)))


class Attention(nn.Module):
    """Causal self-attention: [batch, tokens, width] -> [batch, tokens, width]."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query_key_value = nn.Linear(width, 3 * width)
        self.project = nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, tokens, width = x.shape
        split = self.query_key_value(x).view(batch, tokens, 3, self.heads, width // self.heads)
        query, key, value = split.permute(2, 0, 3, 1, 4).unbind(0)
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.project(mixed.transpose(1, 2).reshape(batch, tokens, width))


class GptBlock(nn.Module):
    """[batch, tokens, width] -> [batch, tokens, width]."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.feed_forward_norm = nn.LayerNorm(width)
        self.feed_forward = FeedForward(width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.feed_forward_norm(x))


class Gpt(nn.Module):
    """Token ids int64 [batch, tokens] -> logits [batch, tokens, 1024]."""

    def __init__(self) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(GPT_VOCABULARY, GPT_WIDTH)
        self.position_embedding = nn.Embedding(GPT_TOKENS, GPT_WIDTH)
        self.blocks = nn.Sequential(*(GptBlock(GPT_WIDTH, GPT_HEADS) for _ in range(GPT_LAYERS)))
        self.norm = nn.LayerNorm(GPT_WIDTH)
        self.head = nn.Linear(GPT_WIDTH, GPT_VOCABULARY, bias=False)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        positions = torch.arange(ids.shape[1], device=ids.device)
        x = self.token_embedding(ids) + self.position_embedding(positions)
        return self.head(self.norm(self.blocks(x)))


Loss = Callable[[], torch.Tensor]
Compile = Callable[[nn.Module], Callable[[torch.Tensor], torch.Tensor]]


def mlp_loss(device: torch.device, compiled: Compile) -> tuple[nn.Module, Loss]:
    """The MLP from a fixed start, and its mean squared error on a fixed batch of 64."""
    torch.manual_seed(0)
    model = Mlp()
    inputs, targets = (torch.randn(MLP_BATCH, MLP_WIDTH).to(device) for _ in range(2))
    model.to(device)
    forward = compiled(model)
    return model, lambda: F.mse_loss(forward(inputs), targets)


def gpt_loss(device: torch.device, compiled: Compile, dtype: torch.dtype) -> tuple[nn.Module, Loss]:
    """The GPT from a fixed start with weights of `dtype`, and its cross-entropy on a fixed batch of 8 x 128 tokens."""
    torch.manual_seed(0)
    model = Gpt().to(dtype)
    ids = torch.randint(GPT_VOCABULARY, (GPT_BATCH, GPT_TOKENS + 1)).to(device)
    inputs, targets = ids[:, :-1].contiguous(), ids[:, 1:].reshape(-1)
    model.to(device)
    forward = compiled(model)
    return model, lambda: F.cross_entropy(forward(inputs).view(-1, GPT_VOCABULARY), targets)


def train_step(model: nn.Module, loss_of: Loss) -> Callable[[], float]:
    """A function that takes one AdamW step and returns its loss: reading it waits for the step's forward pass."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    def step() -> float:
        optimizer.zero_grad()
        loss = loss_of()
        loss.backward()
        optimizer.step()
        return loss.item()

    return step
