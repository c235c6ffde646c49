"""The client's side of existence filters, by Google's rule: which names a filter may hold."""

import hashlib
import struct


def bits_of(name, hash_count, bit_count):
    """The bits that a name sets."""
    first, second = struct.unpack("<QQ", hashlib.md5(name.encode()).digest())
    return [((first + index * second) % 2**64) % bit_count for index in range(hash_count)]


def bitmap_of(names, hash_count, bit_count):
    """The bitmap of these names."""
    bitmap = bytearray((bit_count + 7) // 8)
    for name in names:
        for bit in bits_of(name, hash_count, bit_count):
            bitmap[bit // 8] |= 1 << bit % 8
    return bytes(bitmap)


class BloomFilter:
    """A filter as the server sends it; refuses what the official clients refuse."""

    def __init__(self, message):
        self.bitmap = message.bits.bitmap
        self.hash_count = message.hash_count
        padding = message.bits.padding
        assert 0 <= padding <= 7 and self.hash_count > 0
        self.bit_count = len(self.bitmap) * 8 - padding
        assert self.bit_count > 0, "official clients take an empty filter for none"
        unused = 0xFF & ~(0xFF >> padding)
        assert not self.bitmap[-1] & unused, "bits are set behind the last"

    def may_hold(self, name):
        return all(
            self.bitmap[bit // 8] >> bit % 8 & 1
            for bit in bits_of(name, self.hash_count, self.bit_count)
        )


def after_filter(filter, expected_count, kept, held):
    """What a client for the web or a phone holds after a filter; None where it must ask anew.

    `kept` is what it held when it came back, `held` what it holds after the changes since. It looks
    all that it kept up, and takes each name that the filter lacks off its count, even where it was
    told already that the document is gone.
    """
    if len(held) == expected_count:
        return set(held)
    if filter is None:
        return None
    dropped = {name for name in kept if not filter.may_hold(name)}
    return set(held) - dropped if len(held) - len(dropped) == expected_count else None
