"""The part of ICU's data that a release is linked with."""

import importlib.util
import shutil
import subprocess
import sys

import pytest

from support import server as servers

pytestmark = pytest.mark.brasa_only

SCRIPT = servers.CHECKOUT / "scripts" / "lib" / "icu.py"


@pytest.fixture(scope="module")
def icu():
    spec = importlib.util.spec_from_file_location("icu", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def data_of(icu, found):
    """ICU's data with these items, behind a header of its own."""
    header = b"\x20\x00\xda\x27" + bytes(8) + b"CmnD" + bytes(16)
    return icu.packed(header, found)


def test_data_of_fewer_items_has_the_same_form(icu):
    found = [("icudt1l/a.res", b"1" * 17), ("icudt1l/b.res", b""), ("icudt1l/zone/c.res", b"3" * 16)]
    header, read = icu.items(data_of(icu, found))
    assert [(name, content[:17].rstrip(b"\0")) for name, content in read] == found
    assert icu.packed(header, read) == data_of(icu, found)
    with pytest.raises(ValueError):
        icu.items(b"\x20\x00no data" + bytes(64))


@pytest.mark.parametrize("name, stays", [
    ("zoneinfo64.res", True), ("timezoneTypes.res", True), ("metaZones.res", True), ("supplementalData.res", True),
    ("root.res", True), ("en.res", True), ("uts46.nrm", True), ("nfkc.nrm", True), ("zone/en.res", True),
    ("zone/pool.res", True), ("brkitr/word.brk", True), ("coll/ucadata.icu", True),
    ("de.res", False), ("pt_BR.res", False), ("zh_Hans_CN.res", False), ("zone/pt.res", False), ("coll/zh.res", False),
    ("ibm-943_P15A-2003.cnv", False), ("brkitr/cjdict.dict", False), ("translit/root.res", False),
])
def test_time_zones_and_english_stay(icu, name, stays):
    assert bool(icu.stays(f"icudt76l/{name}")) == stays


def test_the_object_of_this_toolchain_is_small_and_takes_the_datas_place(icu, tmp_path):
    if sys.platform != "linux" or not all(map(shutil.which, ("swiftc", "clang", "ar"))):
        pytest.skip("needs the toolchain that builds releases for Linux")
    made = tmp_path / "folder" / "icu.o"
    done = subprocess.run([sys.executable, SCRIPT, made], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    first, wrap, second, path = done.stdout.split()
    assert (first, second, path) == ("-Xlinker", "-Xlinker", str(made))
    symbol = wrap.removeprefix("--wrap=")
    assert f"__wrap_{symbol}".encode() in made.read_bytes()
    _, found = icu.items(icu.section(made.read_bytes(), b".rodata"))
    names = [name for name, _ in found]
    assert names == sorted(names) and f"{names[0].split('/')[0]}/zoneinfo64.res" in names
    assert made.stat().st_size < 6 << 20
