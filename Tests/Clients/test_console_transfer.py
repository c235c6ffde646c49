"""The console in headless Chromium: documents as files, and back."""

import pathlib

import pytest
import requests

from support import axe
from support.looks import LANGUAGES
from support.texts import Texts

pytestmark = pytest.mark.brasa_only

OWNER = {"authorization": "Bearer owner"}
FIELDS = {
    "name": {"stringValue": "=cmd()"}, "count": {"integerValue": "9007199254740993"}, "price": {"doubleValue": 3}, "tags": {"arrayValue": {"values": [{"nullValue": None}, {"stringValue": "a,\n\"b\""}]}},
    "since": {"timestampValue": "2026-03-01T12:00:00.000001Z"},
}


@pytest.fixture
def console(console, tmp_path):
    """The console in a wider window, with its downloads in the test's directory."""
    console.browser.show_as(1600, 900)
    console.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    return console


@pytest.fixture
def root(server, project):
    found = f"{server.url}/v1/projects/{project}/databases/(default)/documents"
    for name in ("chair", "table"):
        assert requests.patch(f"{found}/products/{name}", json={"fields": FIELDS}, headers=OWNER, timeout=30).status_code == 200
    return found


def documents(root, collection):
    found = requests.get(f"{root}/{collection}", headers=OWNER, timeout=30).json().get("documents", [])
    return {one["name"].rsplit("/", 1)[1]: one["fields"] for one in found}


def file_of(console, folder, name):
    """A download, once it is there."""
    path = pathlib.Path(folder) / name
    console.until(path.exists, f"no file {name}")
    return path


def choose(console, path):
    console.browser.run("document.querySelector('input[type=file]').hidden = false")
    console.driver.find_element("css selector", "input[type=file]").send_keys(str(path))


@pytest.mark.parametrize("language, button, name, take", [
    ("en", "Export CSV", "products.csv", "Import 2 documents"), ("pt-BR", "Exportar JSON Lines", "products.jsonl", "Importar 2 documentos"),
])
def test_documents_go_out_and_come_back_unchanged(console, root, tmp_path, language, button, name, take):
    before = documents(root, "products")
    console.open("firestore/-default-/data/products", language)
    console.click("button", button)
    path = file_of(console, tmp_path, name)
    requests.patch(f"{root}/copies/chair", json={"fields": {"mine": {"booleanValue": True}}}, headers=OWNER, timeout=30)
    console.open("firestore/-default-/data/copies", language)
    console.find("button", button)
    choose(console, path)
    console.click("button", take)
    # What is there already stays, and the list of what was not written is kept as a file.
    failed = file_of(console, tmp_path, "failed.csv").read_bytes().decode()
    assert failed.startswith("id,error\r\nchair,")
    found = documents(root, "copies")
    assert found == {"chair": {"mine": {"booleanValue": True}}, "table": before["table"]}
    console.click("button", {"en": "Undo", "pt-BR": "Desfazer"}[language])
    console.until(lambda: "table" not in documents(root, "copies"), "the import was not undone")


def test_all_pages_of_a_query_go_out(console, server, project, root, tmp_path):
    database = f"projects/{project}/databases/(default)"
    for start in range(0, 2_500, 500):
        writes = [{"update": {"name": f"{database}/documents/many/d{n:05}", "fields": {"n": {"integerValue": str(n // 2)}}}} for n in range(start, start + 500)]
        assert requests.post(f"{root}:commit", json={"writes": writes}, headers=OWNER, timeout=60).status_code == 200
    console.open("firestore/-default-/data/many?q=n+%3E%3D+10+order+by+n+desc")
    console.click("button", "Export CSV")
    lines = file_of(console, tmp_path, "many.csv").read_text().splitlines()
    assert lines[0] == "__id__,n:integer" and len(lines) == 2_481
    assert lines[1] == "d02499,1249" and lines[-1] == "d00020,10"


def test_a_file_that_makes_no_sense_writes_nothing(console, root, tmp_path):
    (tmp_path / "wrong.csv").write_text("n:integer\n1\nx\n")
    console.open("firestore/-default-/data/products")
    console.find("button", "Export CSV")
    choose(console, tmp_path / "wrong.csv")
    console.sees("1 row is skipped.")
    console.sees("Must be a whole number.")
    console.click("button", "Cancel")
    assert set(documents(root, "products")) == {"chair", "table"}


@LANGUAGES
def test_files_of_others_are_imported(console, root, tmp_path, language):
    """Plain JSON, semicolons between cells with commas in numbers, a column as ids with types chosen, ten rows first, one undo."""
    words = Texts(language)
    take = {"en": "Import {} documents", "pt-BR": "Importar {} documentos"}[language]
    console.open("firestore/-default-/data/imported", language)
    plain = tmp_path / "plain.json"
    plain.write_text('[{"id": "a", "price": 9.5, "tags": ["x"]}, {"id": "b", "price": 1, "nested": {"deep": true}}]')
    choose(console, plain)
    console.find("dialog", words("transfer.import"))
    assert console.look("combobox", words("transfer.ids"), lambda one: one.get_attribute("value")) == "id"
    assert axe.findings(console, "dialog") == []
    console.click("button", take.format(2))
    console.find("gridcell", "a")
    assert documents(root, "imported") == {
        "a": {"price": {"doubleValue": 9.5}, "tags": {"arrayValue": {"values": [{"stringValue": "x"}]}}},
        "b": {"price": {"integerValue": "1"}, "nested": {"mapValue": {"fields": {"deep": {"booleanValue": True}}}}},
    }
    console.click("button", words("undo"))
    console.until(lambda: documents(root, "imported") == {}, "the import was not taken back")
    table = tmp_path / "table.csv"
    table.write_text("código;nome;preço\n" + "".join(f"C{n};Cadeira {n};1.234,5\n" for n in range(12)))
    choose(console, table)
    console.find("dialog", words("transfer.import"))
    console.browser.wait("return document.querySelectorAll('dialog tbody tr').length === 10")
    console.choose(words("transfer.ids"), "código")
    console.click("checkbox", words("transfer.keepID"))
    console.browser.run("document.querySelector('dialog details').open = true")
    console.choose("preço", "string")
    console.browser.wait("return document.querySelector('dialog tbody').innerText.includes('\"1.234,5\"')")
    console.choose("preço", "double")
    console.click("button", take.format(12))
    console.find("gridcell", "C0")
    found = documents(root, "imported")
    assert set(found) == {f"C{n}" for n in range(12)}
    assert found["C3"] == {"código": {"stringValue": "C3"}, "nome": {"stringValue": "Cadeira 3"}, "preço": {"doubleValue": 1234.5}}
