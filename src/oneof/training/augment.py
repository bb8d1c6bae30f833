"""Random changes of images that keep their class: vectorised, drawn for each item, on the device of the batch."""

import torch
from torch import Tensor
from torch.nn.functional import affine_grid, grid_sample, pad


def shift(images: Tensor, most: int, generator: torch.Generator) -> Tensor:
    """Move each image by up to `most` pixels in each direction, and repeat its edge where it has left. (n, c, h, w).

    >>> shift(torch.zeros(2, 1, 8, 8), 1, torch.Generator().manual_seed(0)).shape
    torch.Size([2, 1, 8, 8])
    """
    n, c, h, w = images.shape
    wide = pad(images.float(), (most,) * 4, mode="replicate").to(images.dtype)
    by = torch.randint(2 * most + 1, (2, n), generator=generator, device=generator.device).to(images.device)
    rows = (by[0, :, None] + torch.arange(h, device=images.device))[:, None, :, None]
    columns = (by[1, :, None] + torch.arange(w, device=images.device))[:, None, None, :]
    first = torch.arange(n, device=images.device)[:, None, None, None]
    channels = torch.arange(c, device=images.device)[None, :, None, None]
    return wide[first, channels, rows, columns]


def mirror(images: Tensor, generator: torch.Generator) -> Tensor:
    """Mirror each image left to right with probability one half. (n, c, h, w)."""
    chosen = torch.rand(len(images), generator=generator, device=generator.device).to(images.device) < 0.5
    return torch.where(chosen[:, None, None, None], images.flip(3), images)


def warp(images: Tensor, generator: torch.Generator) -> Tensor:
    """Rotate (up to 11 degrees), stretch, shear (up to 15 %) and move (up to 7 %) each image. (n, c, h, w), float.

    >>> warp(torch.zeros(2, 1, 8, 8), torch.Generator().manual_seed(0)).shape
    torch.Size([2, 1, 8, 8])
    """
    turn, wide, high, slant, right, down = _between(
        images, generator, (-0.2, 0.2), (0.85, 1.15), (0.85, 1.15), *((-0.15, 0.15),) * 3
    )
    rows = [wide * turn.cos(), slant - high * turn.sin(), right, wide * turn.sin(), high * turn.cos(), down]
    grid = affine_grid(torch.stack(rows, dim=1).view(-1, 2, 3), list(images.shape), align_corners=False)
    return torch.as_tensor(grid_sample(images.float(), grid, padding_mode="border", align_corners=False))


def relight(images: Tensor, generator: torch.Generator, invert: bool) -> Tensor:
    """Change the contrast (by up to 40 %) and the brightness of each image. (n, c, h, w), float.

    invert: also turn each image into its negative with probability one half.
    """
    contrast, light, coin = _between(images, generator, (0.6, 1.4), (-0.4, 0.4), (0.0, 1.0))
    if invert:
        contrast = torch.where(coin < 0.5, -contrast, contrast)
    deviation, mean = torch.std_mean(images.float(), dim=(1, 2, 3), keepdim=True)
    lit = (images - mean) * contrast.view(-1, 1, 1, 1) + mean + light.view(-1, 1, 1, 1) * deviation
    return torch.as_tensor(lit)


def cutout(images: Tensor, generator: torch.Generator) -> Tensor:
    """Grey out a square of half the height, centred anywhere in each image. (n, c, h, w).

    >>> cutout(torch.ones(2, 1, 8, 8), torch.Generator().manual_seed(0)).shape
    torch.Size([2, 1, 8, 8])
    """
    n, _, h, w = images.shape
    centre = torch.rand(2, n, 1, generator=generator, device=generator.device).to(images.device)
    rows = (torch.arange(h, device=images.device) - centre[0] * h).abs() < h / 4
    columns = (torch.arange(w, device=images.device) - centre[1] * w).abs() < h / 4
    hidden = (rows[:, None, :, None] & columns[:, None, None, :]).expand_as(images)
    # Filled with the mean of the image, which is grey whether or not the pixels are standardised.
    return torch.where(hidden, images.float().mean(dim=(1, 2, 3), keepdim=True).to(images.dtype), images)


def _between(images: Tensor, generator: torch.Generator, *ranges: tuple[float, float]) -> Tensor:
    """A random number for each range and image, (ranges, n)."""
    low, high = torch.tensor(ranges).T.unsqueeze(-1)
    drawn = torch.rand(len(ranges), len(images), generator=generator, device=generator.device).cpu()
    return torch.as_tensor(low + (high - low) * drawn).to(images.device)


def augment(images: Tensor, how: str, generator: torch.Generator) -> Tensor:
    """Images changed as the setting `augment` says. (n, c, h, w).

    how: "none"; "shift" by up to a fourteenth of the height; "warp" (rotate, stretch, shear, move, contrast,
    brightness). Either with "-flip" to mirror images at random; "warp-invert" for images whose negative has the same
    class; "shift" also with "-cutout" at the end, to hide a part.
    """
    if how == "none":
        return images
    first, *more = how.split("-")
    if first == "warp":
        changed = relight(warp(images, generator), generator, invert="invert" in more)
    else:
        changed = shift(images, max(1, images.shape[2] // 14), generator)
    if "flip" in more:
        changed = mirror(changed, generator)
    return cutout(changed, generator) if "cutout" in more else changed
