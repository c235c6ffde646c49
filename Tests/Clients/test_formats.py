"""Data directories of every released version open with the program under test, and later formats do not."""

import json
import re
import tarfile

import pytest

from support import formats, postgres, server as servers

pytestmark = pytest.mark.brasa_only

VERSIONS = sorted(file.name.removesuffix(".tar.gz") for file in formats.FOLDER.glob("*.tar.gz"))


@pytest.fixture
def data(tmp_path, request):
    """A copy of the data directory that a version has written."""
    version = getattr(request, "param", VERSIONS[-1])
    with tarfile.open(formats.FOLDER / f"{version}.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / "data"


def upgrade(*arguments, **options):
    return servers.run("upgrade", *arguments, check=False, **options)


def test_there_is_a_fixture_of_the_first_version():
    assert "0.1.0" in VERSIONS


@pytest.mark.parametrize("data, version", [(v, v) for v in VERSIONS], indirect=["data"])
def test_data_of_a_released_version_is_all_there(data, version):
    checked = upgrade("--check", "--data", data)
    assert checked.returncode == 0, checked.stderr
    assert servers.run("verify", "--data", data).returncode == 0
    running = servers.Brasa(data).start()
    try:
        assert formats.look(running) == json.loads((formats.FOLDER / f"{version}.json").read_text())
        # Beside a running server, which has the directory locked.
        beside = upgrade("--check", "--data", data)
        assert beside.returncode == 0 and "has the formats of brasa" in beside.stdout, beside.stderr
    finally:
        assert running.stop() == 0


def state(folder):
    """The names and contents of all files."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def test_a_check_changes_nothing(data):
    before = state(data)
    done = upgrade("--check", "--data", data)
    assert done.returncode == 0 and done.stdout.startswith(f"{data} has the formats of brasa ")
    assert state(data) == before


@pytest.mark.parametrize("part", ["store", "events"])
def test_a_later_format_is_refused_by_name(data, part):
    file = data / part / "FORMAT"
    word, number = file.read_text().split()
    file.write_text(f"{word} {int(number) + 1}\n")
    before = state(data)
    said = (
        f"Error: A newer version of Brasa has written this data: {data}/{part} has format {int(number) + 1}, and this "
        f"program knows formats up to {number}. Start that version, or restore a backup from before the upgrade.\n"
    )
    for command in (["upgrade", "--check"], ["upgrade"], ["verify"], ["serve", "--dev", "--port", "0"]):
        done = servers.run(*command, "--data", data, check=False)
        assert done.returncode == 1 and done.stderr.endswith(said), (command, done.stderr)
    if part == "store":
        assert state(data) == before


@pytest.mark.skipif(postgres.programs() is None, reason=postgres.MISSING)
def test_the_formats_of_a_store_in_postgresql_are_checked(tmp_path):
    database = postgres.Postgres()
    try:
        data = tmp_path / "data"
        store = ["--data", data, "--store", database.address]
        nowhere = upgrade("--check", "--data", tmp_path, "--store", database.address)
        assert nowhere.returncode == 1
        running = servers.Brasa(data, "--store", database.address).start()
        beside = upgrade("--check", *store)
        assert running.stop() == 0
        for checked in (beside, upgrade("--check", *store)):
            assert checked.returncode == 0 and checked.stdout.startswith(f"{data} has the formats of brasa "), checked
        # Tables of a version before.
        database.ask("UPDATE brasa.timeline SET format = 2")
        older = upgrade("--check", *store)
        assert older.returncode == 0 and "the store in PostgreSQL needs an upgrade from format 2 to 3" in older.stdout
        database.ask("UPDATE brasa.timeline SET format = 4")
        refused = "A newer version of Brasa has written this data: the store in PostgreSQL has format 4, and this program knows formats up to 3."
        for command in (["upgrade", "--check"], ["upgrade"], ["serve", "--dev", "--port", "0"]):
            done = servers.run(*command, *store, check=False)
            assert done.returncode == 1 and refused in done.stderr, (command, done.stderr)
        database.ask("UPDATE brasa.timeline SET format = 3")
        # The list of databases, and the records of a product.
        for key, name, value in (("\\x0101", "the list of databases", 9), ("\\xd050", "accounts", 2)):
            before = f"SELECT encode(value, 'hex') FROM brasa.entries WHERE key = '{key}'"
            was = database.ask(before)
            database.ask(f"INSERT INTO brasa.entries VALUES ('{key}', '\\x0000000{value}') ON CONFLICT (key) DO UPDATE SET value = '\\x0000000{value}'")
            for command in (["upgrade", "--check"], ["serve", "--dev", "--port", "0"]):
                done = servers.run(*command, *store, check=False)
                assert done.returncode == 1 and f"{name} has format {value}" in done.stderr, (command, done.stderr)
            if was:
                database.ask(f"UPDATE brasa.entries SET value = '\\x{was}' WHERE key = '{key}'")
            else:
                database.ask(f"DELETE FROM brasa.entries WHERE key = '{key}'")
        assert upgrade("--check", *store).returncode == 0
    finally:
        database.close()


def test_an_upgrade_at_rest_says_what_it_did(data):
    done = upgrade("--data", data)
    assert done.returncode == 0 and "has the formats of brasa" in done.stdout
    assert servers.run("verify", "--data", data).returncode == 0
    running = servers.Brasa(data).start()
    try:
        busy = upgrade("--data", data)
        assert busy.returncode == 1 and f"Another server is using {data}" in busy.stderr
    finally:
        running.stop()


def test_a_directory_without_data_is_named(tmp_path):
    for path in (tmp_path / "nowhere", tmp_path):
        for options in ([], ["--check"]):
            done = upgrade(*options, "--data", path)
            assert done.returncode == 1 and "--data" in done.stderr and str(path) in done.stderr, done
    assert list(tmp_path.iterdir()) == []


def test_the_version_is_one_everywhere():
    shown = servers.run("--version").stdout.strip()
    version = re.fullmatch(r"(\d+\.\d+\.\d+)(?: \(([0-9a-f]{7,40}\+?)\))?", shown)
    assert version, shown
    assert servers.run("version").stdout == f"brasa {shown}\n"
    # The SDK says which release it is of, too.
    sdk = (servers.CHECKOUT / "Sources/SDK/FirebaseCore/Log/FirebaseLog.swift").read_text()
    assert f'FirebaseVersion() -> String {{ "{version[1]}" }}' in sdk
    assert version[1] in VERSIONS
