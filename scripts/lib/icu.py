"""Makes an object file with the part of ICU's data that a server uses.

Foundation links the data of all languages, 34 MB, the largest part of the program by far. A server needs the time
zones, English, and what ICU opens for every language; it reads and writes no charset but Unicode's. The object defines
the data under another name, and `--wrap` has the linker take that one.

Called with the path of the object; prints the linker's options, one a line. Prints nothing where Swift's libraries
have no such data.
"""

import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

MEMBER = "icu_packaged_data.cpp.o"
SYMBOL = re.compile(rb"\0(icudt\d+_dat)\0")
# ICU falls back to root in every language.
LOCALES = {"root", "en", "en_001", "en_US", "en_US_POSIX"}
LOCALE = re.compile(r"[a-z]{2,3}(_[A-Za-z0-9]+)*")
# Folders that stay, with those languages and with what is of no language.
FOLDERS = {"brkitr", "coll", "curr", "lang", "region", "unit", "zone"}
GENERAL = {"pool", "res_index", "ucadata"}
BREAKS = {"char", "line", "sent", "title", "word"}
# Every item begins at a multiple of it.
UNIT = 16


def stays(name):
    """True for an item of the data that the program keeps, by its path: `icudt76l/zone/en.res`."""
    *folders, file = name.split("/")[1:]
    stem, _, kind = file.rpartition(".")
    if not folders:
        is_of_language = kind == "res" and LOCALE.fullmatch(stem)
        return kind != "cnv" and (not is_of_language or stem in LOCALES)
    if folders[0] not in FOLDERS:
        return False
    return stem in BREAKS if kind == "brk" else stem in LOCALES | GENERAL


def items(data):
    """The names and contents of the items, and the header before them.

    After the header come the number of items, for each the offsets of its name and content from there, the names, which
    end with a zero and are in order, and the contents.
    """
    length = struct.unpack_from("<H", data)[0]
    if data[2:4] != b"\xda\x27" or data[12:16] != b"CmnD":
        raise ValueError("ICU's data has an unknown form")
    body = data[length:]
    count = struct.unpack_from("<I", body)[0]
    table = [struct.unpack_from("<II", body, 4 + 8 * entry) for entry in range(count)]
    ends = [start for _, start in table[1:]] + [len(body)]
    found = [
        (body[name:body.index(b"\0", name)].decode(), body[start:end]) for (name, start), end in zip(table, ends)
    ]
    return data[:length], found


def packed(header, found):
    """Data of these items."""
    names = b"".join(name.encode() + b"\0" for name, _ in found)
    name_at = 4 + 8 * len(found)
    start = name_at + len(names)
    start += -start % UNIT
    table = [struct.pack("<I", len(found))]
    contents = []
    for name, content in found:
        table.append(struct.pack("<II", name_at, start))
        name_at += len(name) + 1
        contents.append(content + bytes(-len(content) % UNIT))
        start += len(contents[-1])
    head = b"".join(table) + names
    return header + head + bytes(-len(head) % UNIT) + b"".join(contents)


def section(object_file, name):
    """The bytes of a section of an object file, ELF of 64 bits and little-endian."""
    if object_file[:6] != b"\x7fELF\x02\x01":
        raise ValueError("ICU's data is in an object of an unknown form")
    table, = struct.unpack_from("<Q", object_file, 0x28)
    size, count, names_index = struct.unpack_from("<HHH", object_file, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", object_file, table + size * index) for index in range(count)]
    names = headers[names_index][4]
    for header in headers:
        at = names + header[0]
        if object_file[at:object_file.index(b"\0", at)] == name:
            return object_file[header[4]:header[4] + header[5]]
    raise ValueError("ICU's data is missing")


def main(out):
    said = subprocess.run(["swiftc", "-print-target-info", "-static-stdlib"], capture_output=True, check=True).stdout
    folder = pathlib.Path(json.loads(said)["paths"]["runtimeLibraryPaths"][0])
    archive = folder / "lib_FoundationICU.a"
    member = subprocess.run(["ar", "p", archive, MEMBER], capture_output=True, check=True).stdout
    symbol = SYMBOL.search(member)[1].decode()
    header, found = items(section(member, b".rodata"))
    data = packed(header, [item for item in found if stays(item[0])])
    with tempfile.TemporaryDirectory() as scratch:
        (pathlib.Path(scratch) / "data").write_bytes(data)
        source = (
            f'.section .rodata,"a",%progbits\n.balign {UNIT}\n.globl __wrap_{symbol}\n'
            f'.type __wrap_{symbol},%object\n__wrap_{symbol}:\n.incbin "{scratch}/data"\n'
            f'.size __wrap_{symbol}, {len(data)}\n.section .note.GNU-stack,"",%progbits\n'
        )
        out.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["clang", "-x", "assembler", "-c", "-", "-o", out], input=source.encode(), check=True)
    print(f"-Xlinker\n--wrap={symbol}\n-Xlinker\n{out.resolve()}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
