"""The console in headless Chromium: metrics, log, and jobs on what is stored."""

import json

import pytest
import requests
from support.looks import LANGUAGES

pytestmark = pytest.mark.brasa_only

OWNER = {"authorization": "Bearer owner"}


@pytest.fixture(scope="module")
def server(own_server):
    return own_server


@pytest.fixture
def documents(server, project):
    root = f"{server.url}/v1/projects/{project}/databases"
    for name in ("chair", "table"):
        answer = requests.patch(f"{root}/(default)/documents/products/{name}", json={"fields": {"name": {"stringValue": name}}}, headers=OWNER, timeout=30)
        assert answer.status_code == 200, answer.text
    return root


@LANGUAGES
def test_metrics_of_the_last_hour(console, language):
    healthy, by_second = {"en": ("Everything is fine.", "Requests per second"), "pt-BR": ("Está tudo em ordem.", "Requisições por segundo")}[language]
    console.open("operations", language)
    console.sees(healthy)
    console.sees(by_second)
    answer = requests.get(f"{console.server.url}/console/api/metrics?names=brasa_kv_table_bytes,nothing", headers=OWNER, timeout=30).json()
    assert answer["names"] == ["brasa_kv_table_bytes"] and len(answer["samples"]) >= 1
    assert [len(sample["values"]) for sample in answer["samples"]] == [1] * len(answer["samples"])


def test_the_log_is_searched_and_says_nothing_secret(console, server):
    requests.get(f"{server.url}/v1/projects/x/databases/(default)/documents/a/b", headers={"authorization": "Bearer not-a-token-at-all"}, timeout=30)
    console.open("operations/log")
    console.sees("brasa")
    lines = requests.get(f"{server.url}/console/api/log", headers=OWNER, timeout=30).json()["lines"]
    assert [line["number"] for line in lines] == list(range(lines[0]["number"], lines[0]["number"] + len(lines)))
    assert "not-a-token-at-all" not in json.dumps(lines)
    assert requests.get(f"{server.url}/console/api/log?after={lines[-1]['number'] + 1000}", headers=OWNER, timeout=30).json()["lines"] == []
    console.fill("Text in the lines", "no line has this")
    console.sees("No lines match.")


def test_data_is_verified_exported_and_read_into_another_database(console, server, project, documents):
    console.open("operations/jobs")
    console.click("button", "Verify")
    console.find("dialog")
    console.browser.run("document.querySelector('dialog button[type=submit]').click()")
    console.sees("no differences")
    console.click("button", "Export")
    console.fill("Name", f"export-{project}")
    console.browser.run("document.querySelector('dialog button[type=submit]').click()")
    done = "return [...document.querySelectorAll('main section')].some((one) => one.textContent.includes(arguments[0]) && one.textContent.includes('Done'))"
    console.browser.wait(done, f"export-{project}")
    folder = server.data / "exports" / f"export-{project}"
    assert sorted(path.name for path in folder.iterdir()) == ["export.json", "products.jsonl"]
    # What is there already is not written over.
    again = {"kind": "export", "project": project, "database": "(default)", "kinds": "documents", "name": f"export-{project}"}
    assert requests.post(f"{server.url}/console/api/jobs", json=again, headers=OWNER, timeout=30).status_code == 200
    console.sees(f"An export export-{project} already exists.")
    # The list of exports is asked for when a job has ended.
    console.browser.wait("const row = [...document.querySelectorAll('main tr')].find((one) => one.textContent.includes(arguments[0])), button = row?.querySelector('button'); button?.click(); return Boolean(button)", f"export-{project}")
    console.fill("Database", "second")
    console.browser.run("document.querySelector('dialog button[type=submit]').click()")
    console.browser.wait("return [...document.querySelectorAll('main section')].filter((one) => one.textContent.includes('/databases/second') && one.textContent.includes('Done')).length === 1")
    read = requests.get(f"{documents}/second/documents/products", headers=OWNER, timeout=30).json()["documents"]
    assert [one["fields"]["name"]["stringValue"] for one in read] == ["chair", "table"]


@pytest.mark.parametrize("body", [
    {"kind": "destroy"}, {"kind": "verify", "sample": "0"}, {"kind": "verify", "sample": "x"},
    *({"kind": kind, "project": "shop", "database": "(default)", "kinds": kinds, "name": name}
      for kind in ("export", "import")
      for kinds, name in [("documents", "../out"), ("documents", ""), ("documents", ".hidden"), ("documents", "a/b"), ("documents", "x" * 101), ("nothing", "a"), ("", "a")]),
    {"kind": "export", "project": "no/project", "database": "(default)", "kinds": "documents", "name": "a"},
])
def test_jobs_that_make_no_sense_are_refused(server, body):
    answer = requests.post(f"{server.url}/console/api/jobs", json=body, headers=OWNER, timeout=30)
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"]["status"] == "INVALID_ARGUMENT"


def test_a_job_that_is_not_there_is_not_cancelled(server):
    assert requests.delete(f"{server.url}/console/api/jobs/4711", headers=OWNER, timeout=30).status_code == 404
    assert requests.delete(f"{server.url}/console/api/jobs/x", headers=OWNER, timeout=30).status_code == 404
