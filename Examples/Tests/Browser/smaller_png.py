"""Writes a picture of the browser with fewer bytes and the same pixels: who checks out the package has them all."""

import pathlib
import struct
import sys
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
# Eight bits a channel: the channels of the colour types that browsers write.
CHANNELS = {2: 3, 6: 4}
RGB, PALETTE = 2, 3


def chunks(picture):
    position = len(SIGNATURE)
    while position < len(picture):
        (length,) = struct.unpack_from(">I", picture, position)
        kind = picture[position + 4 : position + 8]
        yield kind, picture[position + 8 : position + 8 + length]
        position += length + 12


def paeth(left, above, corner):
    guess = left + above - corner
    distances = abs(guess - left), abs(guess - above), abs(guess - corner)
    return (left, above, corner)[distances.index(min(distances))]


def neighbours(row, above, width):
    """For each byte of a row: what is left of it, above it, and left of that."""
    nothing = bytes(width)
    return zip(row, nothing + bytes(row[:-width]), above, nothing + bytes(above[:-width]))


def rows(picture):
    """The picture's width, its height, its channels, and its rows without filters."""
    data = b"".join(body for kind, body in chunks(picture) if kind == b"IDAT")
    header = next(body for kind, body in chunks(picture) if kind == b"IHDR")
    width, height, depth, colours, _, _, interlaced = struct.unpack(">IIBBBBB", header)
    if depth != 8 or interlaced or colours not in CHANNELS:
        return None
    size = CHANNELS[colours]
    raw, stride, above, found = zlib.decompress(data), width * size, bytes(width * size), []
    for start in range(0, height * (stride + 1), stride + 1):
        row = bytearray(raw[start + 1 : start + 1 + stride])
        unfilter(raw[start], row, above, size)
        found.append(bytes(row))
        above = row
    return width, height, size, found


def unfilter(kind, row, above, size):
    for index in range(len(row) if kind else 0):
        left = row[index - size] if index >= size else 0
        corner = above[index - size] if index >= size else 0
        guess = (0, left, above[index], (left + above[index]) // 2, 0)[kind]
        if kind == 4:
            guess = paeth(left, above[index], corner)
        row[index] = (row[index] + guess) & 0xFF


def filtered(row, above, size):
    """The row with the filter after which it has the least to say."""
    candidates = [bytes([0]) + row]
    for kind in (1, 2, 3, 4):
        guess = {
            1: lambda left, up, corner: left,
            2: lambda left, up, corner: up,
            3: lambda left, up, corner: (left + up) // 2,
            4: paeth,
        }[kind]
        body = bytes((b - guess(l, u, c)) & 0xFF for b, l, u, c in neighbours(row, above, size))
        candidates.append(bytes([kind]) + body)
    return min(candidates, key=lambda line: sum(min(byte, 256 - byte) for byte in line[1:]))


def written(width, height, colours, lines, palette=b""):
    def chunk(kind, body):
        checksum = zlib.crc32(kind + body)
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", checksum)

    packer = zlib.compressobj(9, zlib.DEFLATED, 15, 9)
    body = packer.compress(b"".join(lines)) + packer.flush()
    header = struct.pack(">IIBBBBB", width, height, 8, colours, 0, 0, 0)
    colours = chunk(b"PLTE", palette) if palette else b""
    return SIGNATURE + chunk(b"IHDR", header) + colours + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def smaller(picture):
    """The shortest of the ways to write the same pixels that are tried here."""
    found = rows(picture)
    if found is None:
        return picture
    width, height, size, lines = found
    pixels = [[line[i : i + size] for i in range(0, len(line), size)] for line in lines]
    if size == 4:
        if any(pixel[3] != 255 for line in pixels for pixel in line):
            return picture
        pixels = [[pixel[:3] for pixel in line] for line in pixels]
    plain = [b"".join(line) for line in pixels]
    above = [bytes(width * 3), *plain]
    ways = [picture, written(width, height, RGB, [b"\0" + line for line in plain])]
    ways.append(written(width, height, RGB, [filtered(*pair, 3) for pair in zip(plain, above)]))
    used = sorted({pixel for line in pixels for pixel in line})
    if len(used) <= 256:
        number = {pixel: index for index, pixel in enumerate(used)}
        indexed = [b"\0" + bytes(number[pixel] for pixel in line) for line in pixels]
        ways.append(written(width, height, PALETTE, indexed, b"".join(used)))
    return min(ways, key=len)


def main():
    for name in sys.argv[1:]:
        path = pathlib.Path(name)
        path.write_bytes(smaller(path.read_bytes()))


if __name__ == "__main__":
    main()
