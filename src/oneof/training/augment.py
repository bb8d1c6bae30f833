"""Random shifts and flips of images: vectorised, drawn anew for each item, on whatever device the batch is."""

import torch
from torch import Tensor
from torch.nn.functional import pad


def shift(images: Tensor, reach: int, generator: torch.Generator) -> Tensor:
    """Move each image by up to `reach` pixels each way; what comes in is filled by the edge. (n, c, h, w).

    >>> shift(torch.zeros(2, 1, 8, 8), 1, torch.Generator().manual_seed(0)).shape
    torch.Size([2, 1, 8, 8])
    """
    n, c, h, w = images.shape
    wide = pad(images.float(), (reach,) * 4, mode="replicate").to(images.dtype)
    by = torch.randint(2 * reach + 1, (2, n), generator=generator, device=generator.device).to(images.device)
    rows = (by[0, :, None] + torch.arange(h, device=images.device))[:, None, :, None]
    columns = (by[1, :, None] + torch.arange(w, device=images.device))[:, None, None, :]
    first = torch.arange(n, device=images.device)[:, None, None, None]
    channels = torch.arange(c, device=images.device)[None, :, None, None]
    return wide[first, channels, rows, columns]


def flip(images: Tensor, generator: torch.Generator) -> Tensor:
    """Mirror each image left to right with probability one half. (n, c, h, w)."""
    chosen = torch.rand(len(images), generator=generator, device=generator.device).to(images.device) < 0.5
    return torch.where(chosen[:, None, None, None], images.flip(3), images)


def augment(images: Tensor, how: str, generator: torch.Generator) -> Tensor:
    """What the configuration asks for: "none", "shift" (by an eighth of the height at most), or "shift-flip"."""
    if how == "none":
        return images
    moved = shift(images, max(1, images.shape[2] // 14), generator)
    return flip(moved, generator) if how == "shift-flip" else moved
