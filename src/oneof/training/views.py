"""Predictions averaged over several views of an image: training costs the same, and a prediction as many times as much
as there are views. Whether it helps, held-out answers tell."""

import math

import torch
from torch import Tensor
from torch.nn.functional import pad

WAYS = ("none", "mirror", "shift")
MOVES = ((0, 0), (-1, 0), (1, 0), (0, -1), (0, 1))


def views_of(images: Tensor, how: str) -> list[Tensor]:
    """The images as they are, and changed. (n, c, h, w).

    how: "none"; "mirror", also their mirror images; "shift", also moved by one pixel up, down, left and right.

    >>> [len(views_of(torch.zeros(2, 1, 8, 8), how)) for how in ("none", "mirror", "shift")]
    [1, 2, 5]
    """
    if how == "none":
        return [images]
    if how == "mirror":
        return [images, images.flip(3)]
    height, width = images.shape[2:]
    wide = pad(images, (1, 1, 1, 1), mode="replicate")
    return [wide[:, :, 1 + down : 1 + down + height, 1 + right : 1 + right + width] for down, right in MOVES]


def averaged(logits: list[Tensor]) -> Tensor:
    """The logits of the mean of the probabilities that each (n, k) stands for, (n, k).

    >>> averaged([torch.tensor([[0.8, 0.2]]).log(), torch.tensor([[0.4, 0.6]]).log()]).exp()
    tensor([[0.6000, 0.4000]])
    """
    if len(logits) == 1:
        return logits[0]
    logs = torch.stack([torch.log_softmax(seen, dim=1) for seen in logits])
    return torch.logsumexp(logs, dim=0) - math.log(len(logits))
