"""A whole project on one server and on another: equal over public APIs, and told where it is not."""

import json
import os
import pty
import select
import shutil
import subprocess
import sys

import pytest
import requests

from support import push, secrets, server as servers
from support.administrators import administrator, timed_code
from support.identity import Identity, Refused
from support.whole_project import Project

pytestmark = pytest.mark.brasa_only

PASSPHRASE = {"BRASA_SECRETS_PASSPHRASE": "a horse that nobody rides"}
WRONG = {"BRASA_SECRETS_PASSPHRASE": "a horse that somebody rides"}
NAMES = ("shop", "second-shop")
SECRETS = ("google-client-secret-1", "oidc-client-secret-1")


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """Two filled projects, each with its second factor's secret."""
    folder = tmp_path_factory.mktemp("source")
    running = servers.Brasa(folder / "data").start()
    projects = {name: Project(running, name) for name in NAMES}
    for project in projects.values():
        project.secret = project.fill(folder)
    yield projects
    assert running.stop() == 0


@pytest.fixture(scope="module")
def backups(source, tmp_path_factory):
    """Exports of everything, with secrets."""
    folder = tmp_path_factory.mktemp("backups")
    for name in NAMES:
        key = push.AppleKey(folder)
        secrets.note("".join(key.file.read_text().splitlines()[1:-1]), "APNs key")
        exported(source[name], "messages", "credentials", "apns", "--key-id", key.id, "--team-id", key.team, key.file)
        done = exported(source[name], "export", folder / name, "--include", "all", "--with-secrets", environment=PASSPHRASE)
        assert [line.split(",")[0] for line in done.stdout.splitlines() if line.startswith("Not exported")] == ["Not exported: Older rulesets"]
    return folder


@pytest.fixture
def target(tmp_path):
    running = servers.Brasa(tmp_path / "target").start()
    yield running
    if running.is_running:
        assert running.stop() == 0


def exported(project, *arguments, **options):
    return servers.run(*arguments, "--project", project.name, "--data", project.running.data, **options)


def imported(running, name, backup, *more, check=True, **options):
    return servers.run("import", backup, "--project", name, "--data", running.data, *more, check=check, **options)


def test_both_servers_are_equal_project_by_project(source, backups, target):
    for name in NAMES:
        said = imported(target, name, backups / name, "--include", "all", "--with-secrets", environment=PASSPHRASE).stdout
        assert "accounts: 4 read, 4 stored\n" in said and "second-factors: 1 read, 1 stored\n" in said
        assert "documents: 2 read, 2 stored\n" in said and "indexes: 3 read, 3 stored\n" in said
        assert "apps: 2 read, 2 stored\n" in said and "provider-secrets: 2 read, 2 stored\n" in said
        assert "settings: 3 read, 3 stored\n" in said and "mail: 1 read, 1 stored\n" in said
    for name in NAMES:
        there = Project(target, name)
        assert there.everything() == source[name].everything()
        # Again: nothing changes, and it says so.
        again = imported(target, name, backups / name, "--include", "all", "--with-secrets", environment=PASSPHRASE).stdout
        assert "indexes: 3 read, 0 stored, 3 skipped\n" in again and "apps: 2 read, 0 stored, 2 skipped\n" in again
        assert "settings: 3 read, 0 stored, 3 skipped\n" in again and "mail: 1 read, 0 stored, 1 skipped\n" in again
        assert "second-factors: 1 read, 0 stored, 1 skipped\n" in again and "provider-secrets: 2 read, 0 stored, 2 skipped\n" in again
        assert there.everything() == source[name].everything()
        for email in ("beto@example.com", "caio@example.com"):
            assert there.sign_in(email)["idToken"]
        pending = there.sign_in("ana@example.com")
        assert "idToken" not in pending
        # A code that was used there is used here too.
        with pytest.raises(Refused) as refused:
            there.second_factor(pending, source[name].code)
        assert refused.value.code == "INVALID_CODE"
        assert there.second_factor(pending, timed_code(source[name].secret, 1))["idToken"]
    servers.run("verify", "--data", target.data)


def test_no_secret_is_readable_in_an_export(source, backups, tmp_path):
    readable = tmp_path / "readable"
    done = exported(source["shop"], "export", readable, "--include", "all")
    assert "Not exported: The second factors of 1 account" in done.stdout
    assert "Not exported: The secrets of the sign-in providers google.com, oidc.work." in done.stdout
    assert "Not exported: The private keys of push services." in done.stdout
    manifest = json.loads((readable / "export.json").read_text())
    assert manifest["isComplete"] and manifest["format"] == 1 and len(manifest["omissions"]) == 4
    for file in [*readable.rglob("*"), *(backups / "shop").rglob("*")]:
        if file.is_file():
            found = file.read_text()
            assert not any(secret in found for secret in (*SECRETS, source["shop"].secret))
    refused = exported(source["shop"], "export", tmp_path / "named", "--include", "second-factors", check=False)
    assert refused.returncode == 1 and "--with-secrets" in refused.stderr and not (tmp_path / "named").exists()


def test_without_secrets_what_is_there_stays(source, backups, target, tmp_path):
    readable = tmp_path / "readable"
    exported(source["shop"], "export", readable, "--include", "all", "--exclude", "messages")
    said = imported(target, "shop", readable, "--include", "all").stdout
    assert "Not in the export: The second factors of 1 account" in said
    there = Project(target, "shop")
    assert there.sign_in("ana@example.com")["idToken"]
    imported(target, "shop", backups / "shop", "--include", "settings", "--include", "accounts", "--with-secrets", environment=PASSPHRASE)
    before = there.everything()
    assert before["providers"] == source["shop"].everything()["providers"]
    # A restore without secrets takes nobody's second factor away, and no provider its secret.
    imported(target, "shop", readable, "--include", "all")
    assert there.everything()["providers"] == before["providers"]
    assert "idToken" not in there.sign_in("ana@example.com")


def nothing_is_there(running):
    there = Project(running, "shop")
    found = there.everything()
    return not (found["documents"] or found["users"] or found["rules"] or found["indexes"][0] or found["apps"].get("apps"))


@pytest.mark.parametrize("fault", ["wrong", "missing", "short", "cut", "part", "swapped", "flipped"])
def test_secrets_that_do_not_open_write_nothing(backups, target, tmp_path, fault):
    backup, environment = tmp_path / "backup", PASSPHRASE
    shutil.copytree(backups / "shop", backup)
    Project(target, "shop")
    factors = backup / "secrets/second-factors/sealed.jsonl"
    lines = factors.read_text().splitlines(keepends=True)
    assert len(lines) == 2
    word = {"wrong": "passphrase", "missing": "BRASA_SECRETS_PASSPHRASE", "short": "at least 12", "cut": "is incomplete", "part": "is incomplete", "swapped": "no secrets", "flipped": "passphrase"}[fault]
    if fault == "wrong":
        environment = WRONG
    elif fault == "missing":
        environment = {}
    elif fault == "short":
        environment = {"BRASA_SECRETS_PASSPHRASE": "short"}
    elif fault == "cut":
        factors.write_text(lines[0])
    elif fault == "part":
        factors.write_text(lines[0] + lines[1][:-9])
    elif fault == "swapped":
        shutil.copy(backup / "secrets/provider-secrets/sealed.jsonl", factors)
    elif fault == "flipped":
        factors.write_text(lines[0] + lines[1].replace('"last":true', '"last":false') + lines[1])
    done = imported(target, "shop", backup, "--include", "all", "--with-secrets", check=False, environment=environment)
    assert done.returncode == 1 and done.stdout == ""
    assert word in done.stderr and len(done.stderr.strip().splitlines()) == 1
    assert nothing_is_there(target)


def test_a_passphrase_comes_from_a_file_or_a_terminal(source, target, tmp_path):
    (tmp_path / "key.txt").write_text("a horse that nobody rides\nand another line\n")
    arguments = ("--include", "settings", "--with-secrets")
    exported(source["shop"], "export", tmp_path / "by-file", *arguments, "--passphrase-file", tmp_path / "key.txt")
    imported(target, "shop", tmp_path / "by-file", *arguments, environment=PASSPHRASE)
    assert Project(target, "shop").everything()["providers"] == source["shop"].everything()["providers"]
    command = [servers.binary(), "export", tmp_path / "by-hand", "--project", "shop", "--data", source["shop"].running.data, *arguments]
    shown = typed(command, ["a horse that nobody rides", "a horse that nobody rides"])
    assert "Passphrase: " in shown and "Once more: " in shown and "horse" not in shown
    imported(target, "shop", tmp_path / "by-hand", *arguments, environment=PASSPHRASE)
    command[2] = tmp_path / "differ"
    assert "differ" in typed(command, ["a horse that nobody rides", "a horse that somebody rides"], code=1)
    assert not (tmp_path / "differ").exists()


def typed(command, lines, code=0):
    """What a terminal shows of a command to which a person types lines."""
    main, end = pty.openpty()
    running = subprocess.Popen([str(part) for part in command], stdin=end, stdout=end, stderr=end, env=servers.clean_environment())
    os.close(end)
    shown, left = b"", list(lines)
    while True:
        assert select.select([main], [], [], servers.START_SECONDS)[0], f"nothing more than {shown}"
        try:
            read = os.read(main, 1024)
        except OSError:
            break
        if not read:
            break
        shown += read
        if left and shown.rstrip(b" ").endswith(b":"):
            os.write(main, (left.pop(0) + "\n").encode())
    os.close(main)
    assert running.wait(60) == code, shown
    return shown.decode()


def read_until(main, word):
    """What a terminal shows up to a word, or to the end."""
    shown = b""
    while word.encode() not in shown:
        try:
            read = os.read(main, 1024)
        except OSError:
            break
        if not read:
            break
        shown += read
    return shown.decode()


def test_references_lead_to_the_new_project_and_database(backups, target):
    target_project = Project(target, "copy")
    servers.run("databases", "create", "restored", "--project", "copy", "--data", target.data)
    imported(target, "copy", backups / "shop", "--database", "restored")
    fields = target_project.send("GET", "/v1/projects/copy/databases/restored/documents/products/table")["fields"]
    moved = {"referenceValue": "projects/copy/databases/restored/documents/products/chair"}
    assert fields["next"] == moved
    assert fields["list"]["arrayValue"]["values"] == [moved, {"mapValue": {"fields": {"in": moved}}}]
    deep = fields["map"]["mapValue"]["fields"]
    # A text that looks like a reference is a text.
    assert deep == {"deep": {"arrayValue": {"values": [moved]}}, "text": {"stringValue": "projects/shop/databases/(default)/documents"}}
    assert fields["elsewhere"] == {"referenceValue": "projects/somebody-else/databases/(default)/documents/a/b"}
    assert fields["sibling"] == {"referenceValue": "projects/copy/databases/archive/documents/a/b"}


def test_what_is_dropped_is_counted_with_its_reason(backups, target, tmp_path):
    backup = tmp_path / "backup"
    shutil.copytree(backups / "shop", backup)
    # A file that was cut in the middle of a line, one that lost a line, and one that is gone.
    products = backup / "products.jsonl"
    products.write_text(products.read_text()[:-20])
    (backup / "apps/apps.jsonl").write_text((backup / "apps/apps.jsonl").read_text().splitlines(keepends=True)[0])
    shutil.rmtree(backup / "mail")
    with (backup / "accounts/users.jsonl").open("a") as users:
        users.write('{"localId": "eva", "email": "eva@example.com", "mfaInfo": [{"mfaEnrollmentId": "1", "phoneInfo": "+5511988887777", "enrolledAt": "2026-01-01T00:00:00Z"}]}\n')
        users.write('{"localId": "fia", "email": "no address"}\n{"localId": "gil"')
    with (backup / "settings/settings.jsonl").open("a") as settings:
        settings.write('{"provider": {"kind": "known", "id": "google.com", "isEnabled": true, "clientSecret": "x", "audiences": [], "acceptsIDToken": false, "acceptsCode": false}}\n{"nothing": 1}\n')
    done = imported(target, "shop", backup, "--include", "all", "--with-secrets", check=False, environment=PASSPHRASE)
    said = done.stdout
    assert done.returncode == 1, said + done.stderr
    assert "documents: products.jsonl, line 2: " in said and "documents: 2 read, 1 stored, 1 dropped\n" in said
    assert "apps: 1 read, 1 stored, 1 line of the export missing" in said
    assert "mail: 0 read, 0 stored, 1 line of the export missing" in said
    assert "eva: OPERATION_NOT_ALLOWED : The account has a second factor (mfaInfo)" in said
    assert "fia: email is invalid" in said and "accounts: users.jsonl, line 10: " in said
    assert "accounts: 7 read, 4 stored, 3 dropped\n" in said
    assert "Secrets of providers need --with-secrets." in said and "settings: 5 read, 3 stored, 2 dropped\n" in said
    assert {user["localId"] for user in Project(target, "shop").everything()["users"]} >= {"beto", "caio", "nobody"}


def test_an_export_of_a_newer_format_or_a_damaged_one_is_refused(backups, target, tmp_path):
    backup = tmp_path / "backup"
    shutil.copytree(backups / "shop", backup)
    Project(target, "shop")
    manifest = json.loads((backup / "export.json").read_text())
    (backup / "export.json").write_text(json.dumps({**manifest, "format": 2}))
    newer = imported(target, "shop", backup, "--include", "all", check=False)
    assert newer.returncode == 1 and "has format 2, and this version reads format 1" in newer.stderr
    (backup / "export.json").write_text(json.dumps(manifest)[:-40])
    damaged = imported(target, "shop", backup, "--include", "all", check=False)
    assert damaged.returncode == 1 and "is damaged" in damaged.stderr
    assert nothing_is_there(target)
    (backup / "export.json").write_text(json.dumps({**manifest, "isComplete": False}))
    partial = imported(target, "shop", backup, "--include", "rules", check=False)
    assert partial.returncode == 1 and "The export is incomplete" in partial.stdout
    # Exports of 0.1.0 have no such file.
    (backup / "export.json").unlink()
    assert imported(target, "shop", backup, "--include", "rules").returncode == 0


def test_an_import_that_is_killed_is_repeated(source, backups, target):
    """Kill -9 of the server, at a few places of the import, and of the command."""
    command = [servers.binary(), "import", backups / "shop", "--project", "shop", "--data", target.data, "--include", "all", "--with-secrets"]
    for number, word in enumerate(("credential", "index definition", "4 accounts into", "second factors into")):
        main, end = pty.openpty()
        # A line that goes to a terminal is there at once.
        done = subprocess.Popen([str(part) for part in command], env=servers.clean_environment(PASSPHRASE), stdout=end, stderr=end)
        os.close(end)
        assert word in read_until(main, word)
        if number % 2:
            done.kill()
        else:
            target.kill()
        os.close(main)
        done.wait(60)
        if not target.is_running:
            target.start()
    imported(target, "shop", backups / "shop", "--include", "all", "--with-secrets", environment=PASSPHRASE)
    assert Project(target, "shop").everything() == source["shop"].everything()
    servers.run("verify", "--data", target.data)


def test_a_full_disk_ends_an_export_with_one_sentence(source, target, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)], capture_output=True)
    if sys.platform != "linux" or mounted.returncode:
        pytest.skip("a file system cannot be mounted here")
    try:
        project = Project(target, "shop")
        for number in range(8):
            project.write(f"big/{number}", {"text": {"stringValue": "x" * 20_000}})
        full = exported(project, "export", disk / "backup", "--include", "all", check=False)
        assert full.returncode == 1 and full.stderr.strip() == "Error: The disk is full. Free some space, or write to another disk."
        shutil.copytree(disk / "backup", tmp_path / "rest")
        done = imported(target, "shop", tmp_path / "rest", "--include", "all", check=False)
        assert done.returncode == 1 and "The export is incomplete" in done.stdout
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def test_passwords_that_are_left_out_are_listed(source, tmp_path):
    said = exported(source["shop"], "users", "export", tmp_path / "users.json").stdout
    for uid in ("beto", "caio"):
        assert f"{uid}: its password is not exported" in said
    assert "Second factors of 1 account are not exported." in said and "2 without their imported hashes" in said


def test_entries_with_second_factors_are_refused_one_by_one(target):
    identity = Identity(target, "shop")
    users = [{"localId": "a", "email": "a@example.com", "mfaInfo": [{"totpInfo": {}, "mfaEnrollmentId": "1"}]}, {"localId": "b", "email": "b@example.com", "mfaInfo": []}]
    [error] = identity.admin("/accounts:batchCreate", users=users)["error"]
    assert error["index"] == 0 and "mfaInfo" in error["message"]
    [user] = identity.admin("/accounts:batchGet", verb="GET")["users"]
    assert user["localId"] == "b"


def test_settings_and_secrets_are_the_owners(target):
    """Jobs of the console are an owner's of the server, and no job has secrets."""
    owner = administrator(target, "owner", "first@example.org")
    Project(target, "shop").write("a/b", {})
    bodies = [{"kind": kind, "project": "shop", "database": "(default)", "kinds": kinds, "name": "x"} for kind in ("export", "import") for kinds in ("settings", "second-factors", "documents,provider-secrets")]
    for role, projects in (("editor", []), ("owner", ["second-shop"]), ("editor", ["second-shop"])):
        page = administrator(target, role, f"{role}{len(projects)}@example.org", projects)
        for body in bodies:
            assert page.call("POST", "/console/api/jobs", json=body).status_code == 403, (role, body)
    stranger = {"authorization": "Bearer brasa-console." + "A" * 43}
    for body in bodies:
        assert requests.post(f"{target.url}/console/api/jobs", json=body, headers=stranger, timeout=30).status_code in (401, 403)
    owner.renew()
    for body in bodies:
        if body["kinds"] != "settings":
            refused = owner.call("POST", "/console/api/jobs", json=body)
            assert refused.status_code == 400 and "Kinds are of" in refused.text
    assert owner.call("POST", "/console/api/jobs", json={**bodies[0], "name": "mine"}).status_code == 200
