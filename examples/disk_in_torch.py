"""The full-batch training of disk.py in PyTorch, from the same start, to compare the times and the final losses."""

from __future__ import annotations

import time
from typing import Any

import torch

from autodiff import nn

NAME = f"PyTorch {torch.__version__.partition('+')[0]}"
ALIKE = {nn.ReLU: torch.nn.ReLU(), nn.Softmax: torch.nn.Softmax(dim=1)}


def copied(net: nn.Sequential) -> torch.nn.Sequential:
    """The same network, with the same weights, in PyTorch's modules."""
    layers: list[torch.nn.Module] = []
    for layer in net:
        if not isinstance(layer, nn.Linear):
            layers.append(ALIKE[type(layer)])
            continue
        linear = torch.nn.Linear(layer.inputs, layer.outputs, dtype=torch.float64)
        weight, bias = torch.tensor(layer.weight.data.T), torch.tensor(layer.bias.data)
        linear.load_state_dict({"weight": weight, "bias": bias})
        layers.append(linear)
    return torch.nn.Sequential(*layers)


def timed(net: nn.Sequential, data: tuple[Any, Any], step: float, epochs: int) -> tuple[float, float]:
    """The seconds of the training, and the final loss."""
    torch.set_num_threads(1)
    model, loss, (x, y) = copied(net), torch.nn.MSELoss(), map(torch.tensor, data)
    optimiser = torch.optim.SGD(model.parameters(), lr=step)
    begin = time.perf_counter()
    for _ in range(epochs):
        optimiser.zero_grad()
        loss(model(x), y).backward()
        optimiser.step()
    return time.perf_counter() - begin, loss(model(x), y).item()
