"""Exports in Google's forms, read by `brasa import`: the managed export and the emulators' folder."""

import base64
import hashlib
import json
import pathlib
import shutil

import pytest
import requests

from support import server as servers

pytestmark = pytest.mark.brasa_only

# Written by Google's emulators.
EXPORTS = pathlib.Path(__file__).parent.parent / "Fixtures" / "emulator-export"


def document(server, project, path):
    url = f"{server.url}/v1/projects/{project}/databases/(default)/documents/{path}"
    return requests.get(url, headers={"Authorization": "Bearer owner"}, timeout=30)


def copied(tmp_path, source=EXPORTS):
    target = tmp_path / "export"
    shutil.copytree(source, target)
    for path in [target, *target.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    return target


def test_a_managed_export_is_read_value_by_value(server, project):
    done = servers.run("import", EXPORTS / "firestore_export", "--project", project, "--data", server.data)
    assert "documents: 39 read, 39 stored" in done.stdout
    chair = json.loads((EXPORTS / "chair.json").read_text())
    read = document(server, project, "products/chair").json()
    expected = json.dumps(chair["fields"]).replace("projects/demo-shop/", f"projects/{project}/")
    assert read["fields"] == json.loads(expected)
    assert document(server, project, "missing/parent/lines/l1").json()["fields"] == {"q": {"integerValue": "2"}}
    for name in ["123", "with space", "ação", "a.b"]:
        assert document(server, project, f"ids/{name}").status_code == 200


def test_the_folder_of_the_emulators_is_read_with_its_accounts(server, project):
    done = servers.run("import", EXPORTS, "--project", project, "--data", server.data)
    assert "accounts: 1 read, 1 stored" in done.stdout
    signed_in = requests.post(
        f"{server.url}/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key={project}", timeout=30,
        json={"email": "ana@example.com", "password": "secret1", "returnSecureToken": True},
    )
    assert signed_in.status_code == 200, signed_in.text


def test_parts_that_are_not_read_are_a_loss(server, project, tmp_path):
    export = copied(tmp_path)
    index = json.loads((export / "firebase-export-metadata.json").read_text())
    (export / "firebase-export-metadata.json").write_text(json.dumps(index | {"database": {"path": "database_export"}}))
    done = servers.run("import", export, "--project", project, "--data", server.data, check=False)
    assert done.returncode == 1 and "database: 1 read, 0 stored, 1 dropped" in done.stdout


def test_a_part_that_is_missing_is_a_loss(server, project, tmp_path):
    export = copied(tmp_path)
    index = json.loads((export / "firebase-export-metadata.json").read_text())
    (export / "firebase-export-metadata.json").write_text(json.dumps(index | {"storage": {"path": "storage_export"}}))
    done = servers.run("import", export, "--project", project, "--data", server.data, check=False)
    assert done.returncode == 1 and "missing" in done.stdout
    (export / "storage_export").symlink_to("/etc")
    done = servers.run("import", export, "--project", project, "--data", server.data, check=False)
    assert done.returncode == 1 and "is a link" in done.stderr


OUTPUT = "firestore_export/all_namespaces/all_kinds/output-0"


@pytest.mark.parametrize("size, damage", [(3500, None), (0, None), (None, 100), (None, 3)])
def test_damaged_and_truncated_exports_are_a_loss(server, project, tmp_path, size, damage):
    export = copied(tmp_path)
    content = bytearray((export / OUTPUT).read_bytes())
    if damage is not None:
        content[damage] ^= 0x40
    (export / OUTPUT).write_bytes(content[:size])
    done = servers.run("import", export, "--project", project, "--data", server.data, check=False)
    assert done.returncode == 1, done.stdout
    assert "missing" in done.stdout or "dropped" in done.stdout


def test_an_export_cannot_lead_out_of_its_folder(server, project, tmp_path):
    export = copied(tmp_path)
    (export / OUTPUT).unlink()
    (export / OUTPUT).symlink_to("/etc/passwd")
    done = servers.run("import", export, "--project", project, "--data", server.data, check=False)
    assert done.returncode == 1 and "root:" not in done.stdout + done.stderr
    (export / "firebase-export-metadata.json").write_text(json.dumps({"firestore": {"path": "../../etc"}}))
    done = servers.run("import", export, "--project", project, "--data", server.data, check=False)
    assert done.returncode == 1 and "outside of the export" in done.stderr


def test_accounts_come_as_csv_too(server, project, tmp_path):
    plain = base64.b64encode(hashlib.sha256(b"secret1").digest()).decode()
    rows = [
        ["ana", "ana@example.com", "true", plain, "", 'Ana "A", Silva', "", *[""] * 16, "1700000000000", "1700000001000", "+5511999990000"],
        ["bia", "bia@example.com", "false", "", "", "Bia", "", "g-1", "bia@example.com", "Bia", "", *[""] * 12, "", "", ""],
    ]
    text = "\r\n".join(",".join('"' + cell.replace('"', '""') + '"' if cell else "" for cell in row) for row in rows)
    file = tmp_path / "users.csv"
    file.write_text(text + "\r\n")
    arguments = ["--project", project, "--data", server.data]
    servers.run("users", "import", file, "--hash-algo", "SHA256", "--rounds", "1", *arguments)
    read = requests.get(
        f"{server.url}/v1/projects/{project}/accounts:batchGet?maxResults=10", headers={"Authorization": "Bearer owner"}, timeout=30
    ).json()["users"]
    ana, bia = sorted(read, key=lambda one: one["localId"])
    assert ana["displayName"] == 'Ana "A", Silva' and ana["phoneNumber"] == "+5511999990000" and ana["emailVerified"]
    assert ana["createdAt"] == "1700000000000"
    assert bia["providerUserInfo"][0]["providerId"] == "google.com" and bia["providerUserInfo"][0]["rawId"] == "g-1"
    signed_in = requests.post(
        f"{server.url}/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key={project}", timeout=30,
        json={"email": "ana@example.com", "password": "secret1", "returnSecureToken": True},
    )
    assert signed_in.status_code == 200, signed_in.text
    file.write_text('ana,"open')
    refused = servers.run("users", "import", file, *arguments, check=False)
    assert refused.returncode == 1 and "quoted" in refused.stderr
