"""Shifts, flips, warps, light and hidden parts."""

import pytest
import torch

from oneof.training.augment import augment, cutout, mirror, relight, shift, warp


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("kind", [torch.uint8, torch.float32])
def test_each_image_is_moved_by_its_own_whole_number_of_pixels(kind):
    images = torch.zeros(200, 2, 9, 9).to(kind)
    images[:, 0, 4, 4], images[:, 1, 4, 4] = 1, 2
    moved = shift(images, 2, generator())
    assert moved.dtype == kind
    assert moved.shape == images.shape
    rows, columns = (moved[:, 0] == 1).nonzero(as_tuple=True)[1:]
    assert len(rows) == 200
    assert {(int(r) - 4, int(c) - 4) for r, c in zip(rows, columns, strict=True)} == {
        (down, right) for down in range(-2, 3) for right in range(-2, 3)
    }
    torch.testing.assert_close(moved[:, 1], 2 * moved[:, 0], msg="the channels move together")


def test_what_comes_in_is_filled_by_the_edge():
    images = torch.arange(8.0).repeat(64, 1, 8, 1)
    moved = shift(images, 3, generator())
    assert set(moved.unique().tolist()) <= set(range(8))
    assert bool((moved.diff(dim=3) >= 0).all()), "a ramp stays a ramp"
    assert bool((moved.diff(dim=2) == 0).all())


def test_about_half_are_mirrored_and_the_rest_untouched():
    images = torch.rand(1000, 1, 4, 4)
    flipped = mirror(images, generator())
    same = (flipped == images).all(dim=(1, 2, 3))
    mirrored = (flipped == images.flip(3)).all(dim=(1, 2, 3))
    assert bool((same | mirrored).all())
    assert 420 < int(same.sum()) < 580


@pytest.mark.parametrize("how", ["shift", "shift-flip", "shift-flip-cutout", "warp", "warp-flip", "warp-invert"])
def test_the_generator_decides_and_nothing_else(how):
    images = torch.randint(0, 255, (16, 3, 28, 28), dtype=torch.uint8)
    torch.manual_seed(1)
    first = augment(images, how, generator(5))
    torch.manual_seed(2)
    assert torch.equal(first, augment(images, how, generator(5)))
    assert not torch.equal(first, augment(images, how, generator(6)))


def test_none_draws_nothing():
    images, drawn = torch.rand(3, 1, 8, 8), generator()
    before = drawn.get_state()
    assert augment(images, "none", drawn) is images
    assert torch.equal(drawn.get_state(), before)


def test_the_reach_grows_with_the_image():
    def most(height: int) -> int:
        image = torch.zeros(500, 1, height, height)
        image[:, :, height // 2, height // 2] = 1
        return int((augment(image, "shift", generator())[:, 0].nonzero()[:, 1] - height // 2).abs().max())

    assert [most(height) for height in (8, 28, 32, 56)] == [1, 2, 2, 4]


def test_a_warp_moves_a_dot_a_little_and_keeps_flat_images_flat():
    images = torch.zeros(300, 1, 33, 33)
    images[:, 0, 15:18, 15:18] = 1
    warped = warp(images, generator())
    mass = warped.sum(dim=(1, 2, 3))
    assert bool((mass > 3).all()), "the dot stays in the picture"
    place = torch.arange(33.0)
    rows = (warped.sum(dim=(1, 3)) * place).sum(dim=1) / mass
    columns = (warped.sum(dim=(1, 2)) * place).sum(dim=1) / mass
    for centre in (rows, columns):
        assert centre.mean().item() == pytest.approx(16, abs=0.3)
        assert 1 < (centre - 16).abs().max().item() < 5
    flat = torch.full((5, 3, 8, 8), 7, dtype=torch.uint8)
    torch.testing.assert_close(warp(flat, generator()), flat.float())


def test_light_changes_contrast_and_brightness_of_each_image_alone():
    images = torch.rand(400, 1, 6, 6) * 50 + 100
    lit = relight(images, generator(), invert=False)
    scale = lit.std(dim=(1, 2, 3)) / images.std(dim=(1, 2, 3))
    assert 0.6 <= scale.min().item() < 0.7 < 1.3 < scale.max().item() <= 1.4
    moved = (lit.mean(dim=(1, 2, 3)) - images.mean(dim=(1, 2, 3))) / images.std(dim=(1, 2, 3))
    assert -0.41 < moved.min().item() < -0.35 < 0.35 < moved.max().item() < 0.41


def test_half_become_negatives_where_asked():
    images = torch.rand(1000, 1, 4, 4)
    lit = relight(images, generator(), invert=True)
    slope = ((lit - lit.mean((1, 2, 3), keepdim=True)) * (images - images.mean((1, 2, 3), keepdim=True))).sum((1, 2, 3))
    assert 420 < int((slope < 0).sum()) < 580


@pytest.mark.parametrize("kind", [torch.uint8, torch.float32])
def test_a_square_of_each_image_is_hidden_by_its_mean(kind):
    images = torch.randint(0, 200, (300, 3, 16, 16)).to(kind)
    cut = cutout(images, generator())
    assert cut.dtype == kind
    changed = (cut != images).any(dim=1)
    rows, columns = changed.any(dim=2).sum(dim=1), changed.any(dim=1).sum(dim=1)
    assert max(int(rows.max()), int(columns.max())) == 8, "half of the height, less where it leaves the image"
    assert int(rows.min()) >= 3
    means = images.float().mean(dim=(1, 2, 3)).to(kind)
    hidden = cut[changed.unsqueeze(1).expand_as(cut)]
    wanted = means.view(-1, 1, 1, 1).expand_as(cut)[changed.unsqueeze(1).expand_as(cut)]
    same = hidden == wanted
    assert same.float().mean().item() > 0.98, "a channel that had the mean's value already counts as changed"
    assert changed.any(dim=0).all(), "every place is hidden in some image"
