"""The console in headless Chromium: databases, documents, indexes."""

import datetime

import pytest
import requests

from support.index_links import index_parameter
from support.looks import LANGUAGES
from support.texts import Texts

pytestmark = pytest.mark.brasa_only

HOSTILE = [
    "<img src=x onerror=\"document.title='run'\">", "</textarea><script>document.title='run'</script>", "\u202egnp.exe", "{{constructor}}",
    "javascript:document.title='run'", "a" * 1_000_000,
]


@pytest.fixture
def console(console):
    """The console in a wider window, where a document is beside its collection."""
    console.browser.show_as(1600, 900)
    return console


@pytest.fixture
def documents(server, project):
    """Reads and writes documents past the console."""
    root = f"{server.url}/v1/projects/{project}/databases/(default)/documents"

    class Documents:
        def put(self, path, **fields):
            answer = requests.patch(f"{root}/{path}", json={"fields": fields}, headers={"authorization": "Bearer owner"}, timeout=30)
            assert answer.status_code == 200, answer.text
            return answer.json()

        def get(self, path):
            answer = requests.get(f"{root}/{path}", headers={"authorization": "Bearer owner"}, timeout=30)
            return answer.json().get("fields", {}) if answer.status_code == 200 else None

    return Documents()


def text(value):
    return {"stringValue": value}


DATA = "firestore/-default-/data"


@LANGUAGES
def test_from_nothing_to_a_document(console, documents, language):
    """An empty project: a database in test mode, a collection, a document; changed, taken back, deleted."""
    words = {
        "en": ("Data", "Create database", "Test mode", "Start a collection", "Collection id", "Document id", "Field", "Type of New field",
               "Value of name", "Save", "Saved", "Undo", "Undone", "Delete document", "Delete chair"),
        "pt-BR": ("Dados", "Criar banco de dados", "Modo de teste", "Iniciar coleção", "ID da coleção", "ID do documento", "Campo", "Tipo de Novo campo",
                  "Valor de name", "Salvar", "Salvo", "Desfazer", "Desfeito", "Excluir documento", "Excluir chair"),
    }[language]
    data, create, mode, start, collection, identifier, field, _, value, save, saved, undo, undone, delete, delete_it = words
    console.open(language=language)
    console.click("link", data)
    console.find("heading", create)
    next(one for one in console.all("radio") if one.accessible_name.startswith(mode)).click()
    console.sees("allow read, write: if request.time < timestamp.date(")
    console.click("button", create)
    console.click("button", start)
    console.fill(collection, "products")
    console.fill(identifier, "chair")
    # There is a field to begin with.
    console.fill(field, "name")
    textarea = [one for one in console.all("textbox") if one.tag_name == "textarea"][-1]
    textarea.send_keys("Cadeira é 🔥".replace("🔥", "ã"))
    console.click("button", save)
    console.find("complementary")
    assert documents.get("products/chair") == {"name": text("Cadeira é ã")}
    console.fill(value, "Mesa")
    console.click("button", save)
    console.sees(saved)
    assert documents.get("products/chair") == {"name": text("Mesa")}
    console.click("button", undo)
    console.sees(undone)
    assert documents.get("products/chair") == {"name": text("Cadeira é ã")}
    console.click("button", delete)
    console.click("button", delete_it)
    console.browser.wait("return !document.querySelector('aside')")
    assert documents.get("products/chair") is None


def test_rows_change_by_themselves(console, documents):
    documents.put("products/a", name=text("first"))
    console.open(f"{DATA}/products")
    console.sees("first")
    cell = console.find("gridcell", "first")
    pause = console.find("button", "Pause")
    documents.put("products/a", name=text("second"))
    console.sees("second")
    # What is pressed while something changes is still there when it is let go.
    assert cell.text == "second" and pause.is_displayed()
    documents.put("products/b", name=text("third"))
    console.sees("third")
    console.click("button", "Pause")
    documents.put("products/a", name=text("fourth"))
    console.sees("1 change")
    assert not console.all("gridcell", "fourth")
    console.click("button", "1 change")
    console.sees("fourth")


def test_every_type_edits_back_unchanged(console, documents):
    fields = {
        "whole": {"integerValue": "9223372036854775807"}, "real": {"doubleValue": 3.0}, "nan": {"doubleValue": "NaN"}, "minus": {"doubleValue": -0.0},
        "bytes": {"bytesValue": "AP+A"}, "when": {"timestampValue": "2026-03-01T12:00:00.123456Z"}, "place": {"geoPointValue": {"latitude": 1.5, "longitude": -2}},
        "list": {"arrayValue": {"values": [{"integerValue": "1"}, {"doubleValue": 1.0}]}}, "nothing": {"nullValue": None}, "yes": {"booleanValue": True},
        "map": {"mapValue": {"fields": {"a.b": text("x"), "constructor": text("y")}}},
        "vector": {"mapValue": {"fields": {"__type__": text("__vector__"), "value": {"arrayValue": {"values": [{"doubleValue": 1.0}, {"doubleValue": 2.5}]}}}}},
    }
    documents.put("types/all", touched=text("before"), **fields)
    before = documents.get("types/all")
    console.open(f"{DATA}/types/all")
    console.fill("Value of touched", "after")
    console.click("button", "Save")
    console.sees("Saved")
    assert documents.get("types/all") == before | {"touched": text("after")}
    assert repr(documents.get("types/all")["minus"]["doubleValue"]) == "-0.0"
    console.click("tab", "JSON")
    area = console.find("textbox", "Document as JSON")
    console.put("Document as JSON", area.get_attribute("value").replace('"after"', '"json"'))
    console.click("button", "Save")
    console.until(lambda: documents.get("types/all")["touched"] == text("json"), "not saved")
    assert documents.get("types/all") == before | {"touched": text("json")}


def test_wrong_values_are_told_and_not_saved(console, documents):
    documents.put("c/d", n={"integerValue": "1"})
    console.open(f"{DATA}/c/d")
    console.fill("Value of n", "1.5")
    console.sees("Must be a whole number.")
    assert not console.is_enabled("Save")
    console.fill("Value of n", "9223372036854775807")
    console.click("button", "Save")
    console.sees("Saved")
    assert documents.get("c/d") == {"n": {"integerValue": "9223372036854775807"}}


def test_two_administrators_change_one_document(console, documents):
    documents.put("c/d", mine=text("1"), theirs=text("1"), both=text("1"))
    console.open(f"{DATA}/c/d")
    console.fill("Value of mine", "2")
    console.fill("Value of both", "mine")
    documents.put("c/d", mine=text("1"), theirs=text("2"), both=text("theirs"))
    console.sees("Someone else changed this document while you were editing.")
    # What was typed is still there.
    assert console.read("Value of both") == "mine"
    next(one for one in console.all("radio") if one.accessible_name == "theirs").click()
    console.click("button", "Save this")
    console.sees("Saved")
    assert documents.get("c/d") == {"mine": text("2"), "theirs": text("2"), "both": text("theirs")}


def test_hostile_content_is_text(console, documents):
    for number, hostile in enumerate(HOSTILE):
        documents.put(f"hostile/{number}", value=text(hostile), **{"n": {"mapValue": {"fields": {hostile[:1000]: text(hostile[:1000])}}}})
    identifier = "%3Cimg src=x onerror=document.title='run'%3E"
    documents.put(f"hostile/{identifier}", value=text("named"))
    console.open(f"{DATA}/hostile")
    console.sees("named")
    console.sees("onerror")
    for number, hostile in enumerate(HOSTILE):
        console.open(f"{DATA}/hostile/{number}")
        field = console.find("textbox", "Value of value")
        # A form's fields end lines alike and show every other character.
        assert console.browser.run("return arguments[0].value", field) == hostile
        console.put("Value of value", hostile + "!")
        console.click("button", "Save")
        console.sees("Saved")
        assert documents.get(f"hostile/{number}")["value"] == text(hostile + "!")
        assert "run" != console.driver.title
    assert console.browser.run("return document.querySelectorAll('main img, main script').length") == 0


def test_filters_live_in_the_address(console, documents):
    for number in range(20):
        documents.put(f"products/p{number:02}", price={"integerValue": str(number)}, tags={"arrayValue": {"values": [text("x" if number % 2 else "y")]}})
    console.open(f"{DATA}/products")
    console.fill("Filter", 'price > 10 and tags contains "x" order by price desc limit 3')
    console.click("button", "Apply")
    console.sees("1–3")
    assert [one.text for one in console.all("gridcell") if one.text.startswith("p")] == ["p19", "p17", "p15"]
    console.driver.refresh()
    console.sees("1–3")
    console.fill("Filter", "price >")
    console.sees("Expected a value.")


def test_an_index_by_the_link_of_the_error(console, server, project):
    console.open()
    link = "?create_composite=" + index_parameter(project)
    console.driver.get(f"{server.url}/v1/r/project/{project}/firestore/indexes{link}")
    console.find("dialog")
    console.sees("descending")
    console.click("button", "Create index")
    console.browser.wait("return !document.querySelector('dialog')")
    console.sees("Ready")
    name = f"projects/{project}/databases/(default)/collectionGroups/products/indexes"
    answer = requests.get(f"{server.url}/v1/{name}", headers={"authorization": "Bearer owner"}, timeout=30).json()
    fields = [(field["fieldPath"], field.get("order", field.get("arrayConfig"))) for field in answer["indexes"][0]["fields"]]
    assert fields[:2] == [("userId", "ASCENDING"), ("price", "DESCENDING")]


@LANGUAGES
def test_a_single_field_s_index_by_the_link_of_the_error(console, server, project, language):
    create, group, drop, delete, none = {
        "en": ("Create index", "Collection group", "Delete the index on parts", "Delete", "No composite indexes."),
        "pt-BR": ("Criar índice", "Grupo de coleções", "Excluir o índice de parts", "Excluir", "Não há índices compostos."),
    }[language]
    console.open(language=language)
    link = "?create_exemption=" + index_parameter(project, "parts", "fields/kind", b"\x10\x02", [(b"kind", b"\x10\x01")])
    console.driver.get(f"{server.url}/v1/r/project/{project}/firestore/indexes{link}")
    console.find("dialog")
    console.click("button", create)
    console.browser.wait("return !document.querySelector('dialog')")
    field = f"{server.url}/v1/projects/{project}/databases/(default)/collectionGroups/parts/fields/kind"

    def modes():
        config = requests.get(field, headers={"authorization": "Bearer owner"}, timeout=30).json()["indexConfig"]
        found = {(one["queryScope"], one["fields"][0].get("order", "CONTAINS")) for one in config["indexes"]}
        return found, config.get("usesAncestorConfig", False)

    usual = {("COLLECTION", mode) for mode in ("ASCENDING", "DESCENDING", "CONTAINS")}
    console.sees(group)
    assert modes() == (usual | {("COLLECTION_GROUP", "ASCENDING")}, False)
    console.click("button", drop)
    console.click("button", delete)
    console.browser.wait("return [...document.querySelectorAll('main p')].some((one) => one.textContent === arguments[0]) && !document.querySelector('main table')", none)
    assert modes() == (usual, True)


@LANGUAGES
def test_a_query_as_json_and_as_of_an_instant(console, documents, language):
    as_of, instant, show, now, region = {
        "en": ("As of…", "Date and time", "Show", "Back to now", "products as JSON"), "pt-BR": ("Como era em…", "Data e hora", "Mostrar", "Voltar a agora", "products em JSON"),
    }[language]
    beginning = datetime.datetime.now()
    documents.put("products/chair", name=text("Cadeira"), price={"doubleValue": 3})
    before = documents.put("products/table", name=text("Mesa"), price={"integerValue": "9007199254740993"})["updateTime"]
    documents.put("products/chair", name=text("Poltrona"), price={"doubleValue": 4})
    shown = "return document.querySelector('pre.json')?.textContent"
    console.open(f"{DATA}/products", language=language)
    console.click("button", "JSON")
    console.browser.wait("return document.querySelector('pre.json')?.textContent.includes('Poltrona')")
    assert console.browser.run("return document.querySelector('pre.json').getAttribute('aria-label')") == region
    assert "9007199254740993" in console.browser.run(shown) and "4.0" in console.browser.run(shown)
    # As it changes.
    documents.put("products/bench", name=text("Banco"))
    console.browser.wait("return document.querySelector('pre.json').textContent.includes('Banco')")
    console.fill({"en": "Filter", "pt-BR": "Filtro"}[language], "price > 3.5")
    console.click("button", {"en": "Apply", "pt-BR": "Aplicar"}[language])
    console.browser.wait("return !document.querySelector('pre.json').textContent.includes('Banco')")
    # The address names the instant to the microsecond.
    console.open(f"{DATA}/products?view=json&at={before}", language=language)
    console.browser.wait("return document.querySelector('pre.json')?.textContent.includes('Cadeira')")
    assert "Poltrona" not in console.browser.run(shown) and "Banco" not in console.browser.run(shown)
    assert not console.all("button", {"en": "Bulk edit", "pt-BR": "Editar em massa"}[language])
    console.click("button", now)
    console.browser.wait("return document.querySelector('pre.json').textContent.includes('Poltrona')")
    # Before the first write there was nothing, not even the database.
    console.click("button", as_of)
    field = console.browser.wait("return document.querySelector('dialog input[type=datetime-local]')")
    console.browser.run("arguments[0].value = arguments[1]", field, beginning.strftime("%Y-%m-%dT%H:%M:%S"))
    console.click("button", show)
    console.browser.wait("return document.querySelector('.results .notice')")
    console.browser.wait("return document.querySelector('.results .empty, .results .blank, .results [role=alert]') && document.querySelector('pre.json').hidden")


@LANGUAGES
def test_missing_indexes_are_made_and_used_ones_counted(console, http, language):
    missing, make, single, none = {
        "en": ("Missing indexes", "Create the missing index on products", "Create the missing index on parts", "No composite indexes."),
        "pt-BR": ("Índices que faltam", "Criar o índice que falta em products", "Criar o índice que falta em parts", "Não há índices compostos."),
    }[language]
    equal = {"fieldFilter": {"field": {"fieldPath": "kind"}, "op": "EQUAL", "value": text("a")}}
    by_price = {"from": [{"collectionId": "products"}], "where": equal, "orderBy": [{"field": {"fieldPath": "price"}, "direction": "DESCENDING"}]}
    of_group = {"from": [{"collectionId": "parts", "allDescendants": True}], "where": equal}

    def ask(query):
        assert http.documents("POST", ":runQuery", json={"structuredQuery": query})

    ask(by_price)
    ask(by_price)
    ask(of_group)
    console.open("firestore/-default-/indexes", language=language)
    console.find("heading", missing)
    console.sees(none)

    def rows():
        return [tuple(one.text for one in row.find_elements("css selector", "td")[:4]) for row in console.all("row") if row.find_elements("css selector", "td code")]

    assert [(row[0], row[3].split()[0]) for row in rows()] == [("products", "2"), ("parts", "1")]
    console.click("button", make)
    console.sees_not(none)
    console.click("button", single)
    console.sees_not(missing)
    # An index that is being made is used by no query.
    console.sees(Texts(language)("index.READY"))
    ask(by_price)
    console.open("firestore/-default-/indexes", language=language)
    uses = console.browser.wait("return [...document.querySelectorAll('main tbody tr')].find((row) => row.children.length === 7)?.children[5].textContent")
    assert uses.split()[0] == "1"
    fields = http.call("GET", f"{http.root.removesuffix('/documents')}/collectionGroups/products/indexes")["indexes"][0]["fields"]
    assert [(one["fieldPath"], one["order"]) for one in fields] == [("kind", "ASCENDING"), ("price", "DESCENDING"), ("__name__", "DESCENDING")]


def test_a_long_collection_scrolls(console, server, project):
    """Only the rows in sight are elements, and only three pages are listened to."""
    names = f"projects/{project}/databases/(default)/documents/long"
    for start in range(0, 1_500, 500):
        writes = [{"update": {"name": f"{names}/{number:06}", "fields": {"n": {"integerValue": str(number)}}}} for number in range(start, start + 500)]
        answer = requests.post(f"{server.url}/v1/projects/{project}/databases/(default)/documents:commit", json={"writes": writes},
                               headers={"authorization": "Bearer owner"}, timeout=60)
        assert answer.status_code == 200
    console.open(f"{DATA}/long")
    console.sees("000000")
    for _ in range(60):
        if console.browser.run("const grid = document.querySelector('[role=grid]'); grid.scrollTop = grid.scrollHeight;"
                               " return document.body.innerText.includes('001499')"):
            break
        console.browser.run("return new Promise((resolve) => setTimeout(resolve, 100))")
    console.sees("001499")
    assert len(console.all("row")) <= 62
    console.browser.run("document.querySelector('[role=grid]').scrollTop = 0")
    for _ in range(60):
        if console.all("gridcell", "000000"):
            break
        console.browser.run("const grid = document.querySelector('[role=grid]'); grid.scrollTop = 0; grid.dispatchEvent(new Event('scroll'));"
                            " return new Promise((resolve) => setTimeout(resolve, 100))")
    assert console.all("gridcell", "000000")


def test_selected_documents_are_deleted_and_come_back(console, documents):
    for name in ("a", "b", "c", "d"):
        documents.put(f"bulk/{name}", name=text(name))
    console.open(f"{DATA}/bulk")
    console.sees("1–4")
    for box in console.all("checkbox")[:3]:
        box.click()
    console.sees("3 selected")
    console.click("button", "Delete")
    console.find("dialog")
    # Somebody else changes one of them while the question is open.
    documents.put("bulk/b", name=text("kept"))
    console.sees("kept")
    console.click("button", "Delete 3 documents")
    console.sees("1 document has changed meanwhile and was not deleted")
    assert [documents.get(f"bulk/{name}") is None for name in "abcd"] == [True, False, True, False]
    console.click("button", "Undo")
    console.sees("Undone")
    assert documents.get("bulk/a") == {"name": text("a")} and documents.get("bulk/c") == {"name": text("c")}


def test_nothing_typed_is_lost_when_the_server_goes_and_comes_back(browser, tmp_path, project):
    from support import server as servers
    from support.console import Console

    port = servers.free_port()
    own = servers.Brasa(tmp_path / "data", "--port", port)
    own.start()
    try:
        root = f"{own.url}/v1/projects/{project}/databases/(default)/documents/c"
        owner = {"authorization": "Bearer owner"}
        for name in ("a", "b"):
            requests.patch(f"{root}/{name}", json={"fields": {"t": text("before")}}, headers=owner, timeout=30)
        browser.show_as(1600, 900)
        console = Console(browser, own, project).open(f"{DATA}/c/a")
        console.fill("Value of t", "typed")
        own.kill()
        console.browser.wait("return document.querySelector('.light').dataset.state !== 'live'")
        own.start()
        requests.patch(f"{root}/b", json={"fields": {"t": text("after")}}, headers=owner, timeout=30)
        console.sees("after")
        assert console.read("Value of t") == "typed"
        console.click("button", "Save")
        console.sees("Saved")
        assert requests.get(f"{root}/a", headers=owner, timeout=30).json()["fields"] == {"t": text("typed")}
    finally:
        own.kill()


def test_budget_of_the_first_page(console):
    """At most 40 requests, and 60 KB of the console's own as they travel, with the figures and what needs attention."""
    console.open()
    console.find("heading", console.project)
    requests_made, size = console.browser.run(
        "const all = performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'));"
        "return [all.length, all.filter((one) => !one.name.includes('/api/')).reduce((sum, one) => sum + one.encodedBodySize, 0)]"
    )
    assert requests_made <= 40 and size <= 60 << 10, (requests_made, size)
