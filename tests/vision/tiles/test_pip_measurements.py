"""All crops are judged together; here each is judged alone, as the words of the rules say it."""

import numpy as np
from numpy.typing import NDArray

from vision.findings import Code
from vision.template_matching import middle
from vision.tiles import pip_measurements as rules
from vision.tiles.layout_bank import layout_bank
from vision.tiles.pip_measurements import PipMeasurements

Row = NDArray[np.float32]
CAST = 1.05


def judged_alone(each: PipMeasurements, cast: float) -> tuple[int, int, Code | None]:
    """Red and plain pips of the only crop, and what speaks against its layout."""
    used, free = each.used[0], each.free[0]
    hiding, contrast = each.pips[:, 0, used]
    red, level, bare, bare_body = each.red[0, used], each.level[0, used], each.bare[0, free], each.bare_body[0, free]
    usual = middle(contrast)
    if usual < rules.LEAST_CONTRAST:
        return 0, 0, Code.PIPS_INDISTINCT
    present = contrast > max(rules.LEAST_PIP_CONTRAST * usual, rules.LEAST_PIP_LEVELS)
    for colour in (red, ~red):
        if colour.any():
            present[colour] &= contrast[colour] > rules.LEAST_CONTRAST_OF_COLOUR * middle(contrast[colour])
    extra = bare > rules.MOST_BARE_CONTRAST * usual
    distinguished, seen_red = colours_alone(hiding, contrast, red, cast)
    glare = bool(len(bare_body)) and middle(level) - bare_body.max() < rules.LEAST_HEADROOM * usual
    checks = (
        (not present.all(), Code.PIP_MISSING),
        (bool(each.paired[0]), Code.PIP_MAY_BE_TWO),
        (bool(extra.any()), Code.PIP_TOO_MANY),
        (not distinguished, Code.PIP_COLOURS_UNKNOWN),
        (bool((seen_red != red).any()), Code.PIP_COLOURS_MISPLACED),
        (glare, Code.PIP_GLARE),
    )
    white = int((present & ~seen_red).sum()) + int(extra.sum())
    return int((present & seen_red).sum()), white, next((code for holds, code in checks if holds), None)


def colours_alone(hiding: Row, contrast: Row, red: NDArray[np.bool_], cast: float) -> tuple[bool, NDArray[np.bool_]]:
    """Whether red and plain pips are distinguishable, and which are red."""
    tint = np.asarray(hiding / np.maximum(contrast, 1.0), np.float32) / cast
    red_tint = middle(tint[red]) if red.any() else 0.5
    plain_tint = middle(tint[~red]) if (~red).any() else 1.0
    both = bool(red.any() and (~red).any())
    dull = both and middle(contrast[red]) < rules.MOST_DULL_CONTRAST * middle(contrast[~red])
    distinct = red_tint <= rules.MOST_RED_TINT and plain_tint - red_tint >= rules.LEAST_TINT_GAP
    distinguished = (distinct or (dull and red_tint < plain_tint)) and plain_tint >= rules.LEAST_PLAIN_TINT
    sure = plain_tint - red_tint > 4 * rules.LEAST_TINT_GAP
    return distinguished, (tint < (red_tint + plain_tint) / 2 if sure or not distinguished else red)


def measured(rng: np.random.Generator) -> PipMeasurements:
    """Measurements of one crop as any layout may show them, from flawless ones to none."""
    bank = layout_bank()
    row = int(rng.integers(len(bank.face)))
    used, red, free = (bank.plain + bank.red)[row] > 0, bank.red[row] > 0, bank.bare[row]
    strength, noise = rng.choice([8, 20, 90]), rng.choice([0.02, 0.15, 0.5])
    contrast = strength * (1 + noise * rng.normal(size=used.shape)) * np.where(red, rng.choice([0.4, 1.0]), 1.0)
    tint = np.where(red, rng.choice([0.3, 0.85, 0.99]), 1.0) + 0.3 * noise * rng.normal(size=used.shape)
    if rng.random() < 0.2:
        tint = rng.permutation(tint)
    bare = strength * (0.1 + noise * rng.normal(size=free.shape))
    body = 30 + strength * (noise * rng.random(free.shape) + (rng.random(free.shape) < 0.01))
    pips = np.stack([CAST * tint * contrast, contrast])
    floats = [each.astype(np.float32)[None] for each in (contrast + 30, bare, body)]
    return PipMeasurements(
        used=used[None],
        red=red[None],
        pips=pips.astype(np.float32)[:, None],
        level=floats[0],
        free=free[None],
        bare=floats[1],
        bare_body=floats[2],
        paired=np.array([rng.random() < 0.05]),
    )


def test_crops_judged_together_are_judged_as_each_alone() -> None:
    rng = np.random.default_rng(11)
    alone = [measured(rng) for _ in range(600)]
    together = PipMeasurements(
        pips=np.concatenate([each.pips for each in alone], 1),
        **{
            name: np.concatenate([getattr(each, name) for each in alone])
            for name in ("used", "red", "level", "free", "bare", "bare_body", "paired")
        },
    )
    expected = [judged_alone(each, CAST) for each in alone]
    assert list(zip(*together.judged(CAST), strict=True)) == expected
    # Every rule spoke in some of them, and nothing in others.
    assert {doubt for *_, doubt in expected} == {
        None,
        Code.PIPS_INDISTINCT,
        Code.PIP_MISSING,
        Code.PIP_MAY_BE_TWO,
        Code.PIP_TOO_MANY,
        Code.PIP_COLOURS_UNKNOWN,
        Code.PIP_COLOURS_MISPLACED,
        Code.PIP_GLARE,
    }
    plain_tints = [
        middle((each.pips[0, 0] / np.maximum(each.pips[1, 0], 1))[plain]) if plain.any() else None
        for each in alone
        for plain in [each.used[0] & ~each.red[0]]
    ]
    assert [None if np.isnan(tint) else tint for tint in together.plain_tint().tolist()] == plain_tints
