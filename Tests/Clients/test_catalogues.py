"""The documentation of the SDK's libraries renders without a warning, where the toolchain has `docc`."""

import pathlib
import platform
import shutil
import subprocess

import pytest

from support import server as servers

pytestmark = [
    pytest.mark.brasa_only,
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("docc"), reason="docc is not installed"),
]

LIBRARIES = sorted((servers.CHECKOUT / "Sources" / "SDK").glob("*/*.docc"))
# Catalogues list them, but only Apple's systems have them.
APPLE_ONLY = {"FirestoreQuery", "FUIAuthPickerViewController"}


def symbols(library, folder):
    """What the debug build's module declares publicly."""
    build = servers.CHECKOUT / ".build"
    folders = build / "checkouts" / "GRDB.swift" / "Sources", servers.CHECKOUT / "Sources" / "Vocabulary"
    maps = [path for folder in folders for path in folder.rglob("module.modulemap")]
    options = [part for path in maps for part in ("-Xcc", f"-fmodule-map-file={path}")]
    subprocess.run(
        ["swift", "symbolgraph-extract", "-module-name", library, "-I", build / "debug" / "Modules",
         "-target", f"{platform.machine()}-unknown-linux-gnu", "-minimum-access-level", "public",
         "-output-dir", folder, *options],
        check=True, capture_output=True,
    )


@pytest.mark.parametrize("catalogue", LIBRARIES, ids=lambda path: path.stem)
def test_a_catalogue_renders_without_a_warning(catalogue, tmp_path):
    library = catalogue.stem
    graphs, site = tmp_path / "graphs", tmp_path / "site"
    graphs.mkdir()
    symbols(library, graphs)
    done = subprocess.run(
        ["docc", "convert", catalogue, "--fallback-display-name", library,
         "--fallback-bundle-identifier", library, "--additional-symbol-graph-dir", graphs,
         "--output-path", site],
        capture_output=True, text=True,
    )
    warnings = [
        line for line in (done.stdout + done.stderr).splitlines()
        if line.startswith(("warning:", "error:")) and not any(f"'{name}'" in line for name in APPLE_ONLY)
    ]
    assert done.returncode == 0 and not warnings, warnings
    assert (pathlib.Path(site) / "data" / "documentation" / f"{library.lower()}.json").exists()
