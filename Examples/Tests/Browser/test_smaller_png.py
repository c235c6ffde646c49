import zlib

import pytest

import smaller_png
from smaller_png import RGB, chunks, rows, smaller, written

WIDTH, HEIGHT = 40, 30


def colour_by_place(x, y):
    return bytes([x * 6, y * 8, (x * y) % 256])


def few_colours(x, y):
    return bytes([200, 200 if (x + y) % 3 else 10, 30])


def pixels(picture):
    parts = dict(chunks(picture))
    if b"PLTE" not in parts:
        return b"".join(rows(picture)[3])
    raw, palette = zlib.decompress(parts[b"IDAT"]), parts[b"PLTE"]
    lines = [raw[start + 1 : start + 1 + WIDTH] for start in range(0, len(raw), WIDTH + 1)]
    return b"".join(palette[3 * index : 3 * index + 3] for line in lines for index in line)


@pytest.mark.parametrize("colour, has_palette", [(colour_by_place, False), (few_colours, True)])
def test_a_picture_gets_smaller_and_keeps_its_pixels(colour, has_palette):
    lines = [b"".join(colour(x, y) for x in range(WIDTH)) for y in range(HEIGHT)]
    picture = written(WIDTH, HEIGHT, RGB, [b"\0" + line for line in lines])
    less = smaller(picture)
    assert len(less) < len(picture)
    assert (b"PLTE" in dict(chunks(less))) == has_palette
    assert pixels(less) == b"".join(lines)


@pytest.mark.parametrize("kind", range(5))
def test_every_filter_is_undone(kind):
    above, row = bytes(range(30)), bytes(range(200, 230))
    guesses = {
        0: lambda left, up, corner: 0,
        1: lambda left, up, corner: left,
        2: lambda left, up, corner: up,
        3: lambda left, up, corner: (left + up) // 2,
        4: smaller_png.paeth,
    }
    filtered = bytearray(
        (byte - guesses[kind](left, up, corner)) & 0xFF
        for byte, left, up, corner in smaller_png.neighbours(row, above, 3)
    )
    smaller_png.unfilter(kind, filtered, above, 3)
    assert bytes(filtered) == row
