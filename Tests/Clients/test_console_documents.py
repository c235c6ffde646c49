"""The console in headless Chromium: the document editor, the table's columns and queries, and what is deleted with what is below it."""

import pytest
import requests
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from support import axe
from support.looks import LANGUAGES
from support.texts import Texts

pytestmark = pytest.mark.brasa_only

OWNER = {"authorization": "Bearer owner"}
DATA = "firestore/-default-/data"


def text(value):
    return {"stringValue": value}


def number(value):
    return {"integerValue": str(value)}


@pytest.fixture
def console(console):
    console.browser.show_as(1440, 900)
    return console


@pytest.fixture
def documents(server, project):
    """Reads and writes documents past the console."""
    name = f"projects/{project}/databases/(default)/documents"

    class Documents:
        root = name

        def put(self, path, **fields):
            answer = requests.patch(f"{server.url}/v1/{name}/{path}", json={"fields": fields}, headers=OWNER, timeout=30)
            assert answer.status_code == 200, answer.text

        def get(self, path):
            answer = requests.get(f"{server.url}/v1/{name}/{path}", headers=OWNER, timeout=30)
            return answer.json().get("fields", {}) if answer.status_code == 200 else None

        def all(self):
            """The paths of every document."""
            query = {"structuredQuery": {"from": [{"allDescendants": True}], "select": {"fields": [{"fieldPath": "__name__"}]}}}
            answer = requests.post(f"{server.url}/v1/{name}:runQuery", json=query, headers=OWNER, timeout=30).json()
            return {one["document"]["name"].removeprefix(f"{name}/") for one in answer if "document" in one}

    return Documents()


def press(console, *keys):
    """Presses keys where the focus is; a tuple holds all but its last."""
    for key in keys:
        *held, last = key if isinstance(key, tuple) else (key,)
        chain = ActionChains(console.driver)
        for one in held:
            chain.key_down(one)
        chain.send_keys(last)
        for one in held:
            chain.key_up(one)
        chain.perform()


FOCUS = "return document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"


# The editor


@LANGUAGES
def test_a_document_is_read_and_edited_by_keyboard_alone(console, documents, language):
    """One Tab a field; F2 opens a field's name and type; Ctrl+Enter saves; Esc asks where something would be lost."""
    words = Texts(language)
    documents.put("products/chair", name=text("Cadeira"), price={"doubleValue": 9.5}, stock=number(3), size={"mapValue": {"fields": {"width": number(80)}}})
    console.open(f"{DATA}/products/chair", language)
    first = console.find("textbox", words("field.valueOf", "name"))
    console.browser.run("arguments[0].focus()", first)
    seen = [console.browser.run(FOCUS)]
    for _ in range(4):
        press(console, Keys.TAB)
        seen.append(console.browser.run(FOCUS))
    assert seen == [words("field.valueOf", "name"), words("field.valueOf", "price"), words("field.valueOf", "stock"), {"en": "1 field", "pt-BR": "1 campo"}[language], words("field.valueOf", "width")]
    press(console, (Keys.CONTROL, "a"), "9", "0", Keys.F2)
    assert console.browser.run(FOCUS) == words("field.name")
    press(console, (Keys.CONTROL, "a"), *"breadth", Keys.ENTER)
    assert console.browser.run(FOCUS) == words("field.valueOf", "breadth")
    press(console, (Keys.CONTROL, Keys.ENTER))
    console.sees(words("document.saved"))
    assert documents.get("products/chair")["size"] == {"mapValue": {"fields": {"breadth": number(90)}}}
    console.put(words("field.valueOf", "name"), "Mesa")
    console.browser.run("arguments[0].focus()", console.find("textbox", words("field.valueOf", "name")))
    press(console, Keys.ESCAPE)
    console.dismiss_question()
    assert console.read(words("field.valueOf", "name")) == "Mesa"
    press(console, (Keys.CONTROL, Keys.ENTER))
    console.until(lambda: documents.get("products/chair")["name"] == text("Mesa"), "not saved")
    console.until(lambda: not console.is_enabled(words("save")), "still not saved")
    press(console, Keys.ESCAPE)
    console.browser.wait("return !document.querySelector('aside')")


@LANGUAGES
def test_values_have_the_room_they_need_and_say_what_is_wrong_in_sight(console, documents, language):
    words = Texts(language)
    name = "aFieldWithQuiteALongName"
    documents.put("products/chair", **{name: text("A long text that somebody reads. " * 12)}, **{f"n{index:02}": number(index) for index in range(40)})
    for width, scheme in ((1440, "light"), (390, "dark")):
        console.browser.show_as(width, 844, scheme)
        console.open(f"{DATA}/products/chair", language)
        area = console.find("textbox", words("field.valueOf", name))
        clipped = "return [arguments[0].scrollHeight - arguments[0].clientHeight, arguments[0].getBoundingClientRect().width]"
        hidden, wide = console.browser.run(clipped, area)
        assert hidden <= 0 and wide >= (280 if width > 1000 else 170)
        label = "return [...document.querySelectorAll('aside .name')].every((one) => one.scrollWidth <= one.clientWidth + 1)"
        assert console.browser.run(label)
        assert console.browser.run("return document.documentElement.scrollWidth <= innerWidth")
        assert axe.findings(console, "aside") == []
        # What is wrong is said at the field, and beside the button that does not save.
        console.put(words("field.valueOf", "n39"), "x")
        console.sees(words("value.notInteger"))
        console.browser.run("document.querySelector('.drawer-body').scrollTop = 0")
        console.click("button", words("document.showWrong"))
        assert console.browser.run(FOCUS) == words("field.valueOf", "n39")
        assert not console.is_enabled(words("save"))
        console.click("button", words("cancel"))


@LANGUAGES
def test_instants_are_picked_references_lead_on_and_points_have_two_numbers(console, documents, language):
    words = Texts(language)
    documents.put("suppliers/s1", city=text("São Paulo"))
    documents.put("products/chair", since={"timestampValue": "2026-03-01T12:00:00.123456Z"}, supplier={"referenceValue": f"{documents.root}/suppliers/s1"},
                  where={"geoPointValue": {"latitude": -23.5, "longitude": -46.6}})
    console.open(f"{DATA}/products/chair", language)
    # A path alone is a document of the same database.
    assert console.read(words("field.valueOf", "supplier")) == "suppliers/s1"
    console.browser.run("arguments[0].focus()", console.find("textbox", words("field.valueOf", "supplier")))
    console.sees("São Paulo")
    console.put(words("field.latitudeOf", "where"), "-24.25")
    console.browser.run("arguments[0].focus()", console.find("textbox", words("field.valueOf", "since")))
    press(console, (Keys.ALT, Keys.ARROW_DOWN))
    console.find("dialog", words("instant.of", "since"))
    assert axe.findings(console, "dialog") == []
    console.choose(words("instant.zone"), "utc")
    assert console.read(words("instant.when")).startswith("2026-03-01T12:00")
    console.put(words("instant.when"), "2026-04-02T08:30:15")
    console.click("button", words("instant.take"))
    assert console.read(words("field.valueOf", "since")) == "2026-04-02T08:30:15Z"
    console.click("button", words("save"))
    console.sees(words("document.saved"))
    saved = documents.get("products/chair")
    assert saved["since"] == {"timestampValue": "2026-04-02T08:30:15Z"} and saved["where"] == {"geoPointValue": {"latitude": -24.25, "longitude": -46.6}}
    assert saved["supplier"] == {"referenceValue": f"{documents.root}/suppliers/s1"}
    console.put(words("field.valueOf", "supplier"), "suppliers/s2")
    console.click("button", words("save"))
    console.until(lambda: documents.get("products/chair")["supplier"] == {"referenceValue": f"{documents.root}/suppliers/s2"}, "not saved")
    console.put(words("field.valueOf", "supplier"), "suppliers/s1")
    console.click("button", words("save"))
    console.until(lambda: not console.is_enabled(words("save")), "not saved")
    console.click("link", words("reference.open"))
    console.find("textbox", words("field.valueOf", "city"))
    assert console.driver.current_url.endswith("/suppliers/s1")


def test_a_new_field_is_named_then_typed_then_filled_by_keyboard(console, documents):
    documents.put("products/chair", name=text("Cadeira"))
    console.open(f"{DATA}/products/chair")
    console.click("button", "Add field")
    assert console.browser.run(FOCUS) == "Field"
    # Its type may come before its name.
    console.choose("Type of New field", "integer")
    console.put("Field", "stock")
    console.browser.run("arguments[0].focus()", console.find("textbox", "Field"))
    press(console, Keys.ENTER)
    assert console.browser.run(FOCUS) == "Value of stock"
    press(console, (Keys.CONTROL, "a"), "7", (Keys.CONTROL, Keys.ENTER))
    console.until(lambda: documents.get("products/chair") == {"name": text("Cadeira"), "stock": number(7)}, "not saved")
    # A field that was asked for and left is none, and a removal goes to the next.
    console.click("button", "Add field")
    console.until(lambda: not console.is_enabled("Save"), "nothing to save, and yet")
    console.browser.run("arguments[0].focus()", console.find("textbox", "Value of name"))
    press(console, Keys.F2)
    console.click("button", "Remove name")
    assert console.browser.run(FOCUS) == "Value of stock"
    console.click("button", "Save")
    console.until(lambda: documents.get("products/chair") == {"stock": number(7)}, "not removed")


def test_a_document_has_a_page_and_a_width_of_its_own(console, documents):
    documents.put("products/chair", name=text("Cadeira"))
    console.open(f"{DATA}/products/chair")
    edge = console.browser.wait("return document.querySelector('[role=separator]')")
    width = "return document.querySelector('aside').offsetWidth"
    before = console.browser.run(width)
    console.browser.run("arguments[0].focus()", edge)
    press(console, Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    assert console.browser.run(width) == before + 64
    console.click("button", "Open as a page")
    console.browser.wait("return document.querySelector('aside').offsetWidth > 1200 && !document.querySelector('.results').offsetParent")
    assert "wide=1" in console.driver.current_url
    console.click("button", "Close")
    console.find("gridcell", "Cadeira")
    assert "wide" not in console.driver.current_url
    console.click("gridcell", "Cadeira")
    console.browser.wait(f"return document.querySelector('aside')?.offsetWidth === {before + 64}")


# The table


def cells(console, column):
    """The texts of a column, from top to bottom."""
    return console.browser.run(
        "const names = [...document.querySelectorAll('[role=columnheader]')].map((one) => one.title);"
        "return [...document.querySelectorAll('.grid-row')].map((row) => row.children[names.indexOf(arguments[0])].textContent)", column)


def heads(console):
    return console.browser.run("return [...document.querySelectorAll('[role=columnheader].grid-cell')].map((one) => one.title)")


@LANGUAGES
def test_a_table_is_sorted_by_a_heads_click_and_shows_the_columns_that_were_chosen(console, documents, language):
    words = Texts(language)
    for index, price in enumerate((30, 10, 20)):
        documents.put(f"products/p{index}", zebra=text("z"), name=text(f"name {index}"), price=number(price), active={"booleanValue": True}, id=text(f"own {index}"))
    console.open(f"{DATA}/products", language)
    console.find("gridcell", "name 0")
    # Names first, then short texts, numbers, and the rest; each with the room that it needs.
    assert heads(console) == ["id", "name", "id", "zebra", "price", "active"]
    assert axe.findings(console) == []
    console.click("button", "price")
    console.until(lambda: cells(console, "price") == ["10", "20", "30"], "not sorted")
    console.click("button", "price")
    console.until(lambda: cells(console, "price") == ["30", "20", "10"], "not sorted the other way")
    assert console.read(words("filter")) == "order by price desc"
    assert console.browser.run("return document.querySelector('[aria-sort=descending]').title") == "price"
    # By keyboard, too: S in the column of the focus, which stays there; once more turns the order.
    console.browser.run("document.querySelector('[role=grid]').focus()")
    for expected in (["10", "20", "30"], ["30", "20", "10"]):
        for key in (Keys.HOME, *[Keys.ARROW_RIGHT] * 4, "s"):
            press(console, key)
        console.until(lambda: cells(console, "price") == expected, f"not sorted by keyboard: {expected}")  # noqa: B023
        console.browser.wait("return document.activeElement.role === 'grid'")
    console.click("button", words("columns"))
    console.find("dialog", words("columns"))
    assert axe.findings(console, "dialog") == []
    console.click("checkbox", "zebra")
    console.click("button", words("columns.up", "price"))
    assert console.browser.run(FOCUS) == words("columns.up", "price")
    press(console, Keys.ENTER)
    press(console, Keys.ENTER)
    console.click("button", words("columns.take"))
    console.until(lambda: heads(console) == ["id", "price", "name", "id", "active"], "the columns did not change")
    # They are kept for the collection, in this browser.
    console.driver.refresh()
    console.find("gridcell", "name 0")
    assert heads(console) == ["id", "price", "name", "id", "active"]
    console.click("button", words("columns"))
    console.click("button", words("columns.reset"))
    console.until(lambda: heads(console)[1:3] == ["name", "id"], "the columns are not as they were")


def test_a_column_is_made_wider_by_its_edge(console, documents):
    documents.put("products/p", name=text("x"))
    console.open(f"{DATA}/products")
    console.find("gridcell", "x")
    width = "return document.querySelectorAll('[role=columnheader].grid-cell')[1].offsetWidth"
    before = console.browser.run(width)
    edge = console.browser.run("return document.querySelectorAll('.grid-edge')[1]")
    ActionChains(console.driver).drag_and_drop_by_offset(edge, 90, 0).perform()
    assert console.browser.run(width) == before + 90
    assert not console.browser.run("return location.search")


@LANGUAGES
def test_ids_and_single_quotes_are_understood(console, documents, language):
    words = Texts(language)
    for index in range(3):
        documents.put(f"products/p{index}", name=text(f"it's {index}"), id=text(f"own {index}"))
    console.open(f"{DATA}/products", language)
    console.find("gridcell", "p0")
    for typed, expected in {
        'id == "p1"': ["p1"], "id == 'p1'": ["p1"], '__name__ == "p2"': ["p2"], 'id > "p0" order by id desc': ["p2", "p1"], "`id` == 'own 2'": ["p2"], "name == 'it\\'s 0'": ["p0"],
        'id in ["p0", "p2"]': ["p0", "p2"], 'id == "products/p0"': ["p0"],
    }.items():
        console.fill(words("filter"), typed + Keys.ENTER)
        console.until(lambda: console.browser.run("return [...document.querySelectorAll('.grid-row .type-id')].map((one) => one.textContent)") == expected, f"not found by {typed}")  # noqa: B023
    # What is wrong is said where it is, in words of ours, and what is shown is dimmed.
    for typed, why in {"id == true": "filter.noID", "name == 'x": "filter.noQuote"}.items():
        console.fill(words("filter"), typed)
        console.sees(words(why))
        assert console.browser.run("return getComputedStyle(document.querySelector('.grid')).opacity") == "0.45"
    console.fill(words("filter"), "id == 'p1'")
    console.browser.wait("return getComputedStyle(document.querySelector('.grid')).opacity === '1'")
    console.fill(words("filter"), "id == 'nobody'" + Keys.ENTER)
    console.sees(words("documents.noMatch"))


# What is deleted


@LANGUAGES
def test_a_document_goes_with_what_is_below_it_or_alone(console, documents, language):
    words = Texts(language)
    documents.put("products/chair", name=text("Cadeira"))
    documents.put("products/chair/reviews/r1", stars=number(5))
    documents.put("products/chair/reviews/r1/replies/x", by=text("ada"))
    documents.put("products/chairs/reviews/r9", stars=number(1))
    before = documents.all()
    console.open(f"{DATA}/products/chair", language)
    console.click("button", words("document.delete"))
    console.find("dialog", words("document.delete"))
    console.sees(words("delete.below", "reviews"))
    console.sees("reviews (2 ")
    assert axe.findings(console, "dialog") == []
    console.click("button", words("document.deleteIt", "chair"))
    console.until(lambda: documents.all() == {"products/chairs/reviews/r9"}, "not deleted with what is below")
    console.browser.wait("return !document.querySelector('aside')")
    console.click("button", words("undo"))
    console.until(lambda: documents.all() == before, "not all came back")
    # Alone: what is left is still found.
    console.click("gridcell", "chair")
    console.click("button", words("document.delete"))
    console.click("checkbox", console.find("dialog").find_element("css selector", "input").accessible_name)
    console.click("button", words("document.deleteIt", "chair"))
    console.until(lambda: documents.all() == before - {"products/chair"}, "not deleted alone")
    console.click("link", "chair")
    console.sees(words("document.missing"))
    console.click("link", "reviews")
    console.find("gridcell", "r1")


@LANGUAGES
def test_a_collection_of_ids_without_documents_shows_them_and_is_deleted(console, documents, language):
    words = Texts(language)
    documents.put("ghosts/g1/parts/a", n=number(1))
    documents.put("ghosts/g2/parts/b", n=number(2))
    documents.put("ghosts2/other", n=number(3))
    console.open(f"{DATA}/ghosts", language)
    console.find("link", "g1")
    console.sees_not(words("documents.none"))
    assert axe.findings(console) == []
    console.click("link", "g2")
    console.click("button", words("document.delete"))
    console.click("button", words("document.deleteIt", "g2"))
    console.until(lambda: documents.all() == {"ghosts/g1/parts/a", "ghosts2/other"}, "what is below g2 is still there")
    console.click("button", words("collection.delete"))
    console.find("dialog", words("collection.delete"))
    console.until(lambda: [one.click() for one in console.all("button") if "danger" in (one.get_attribute("class") or "")], "nothing to press")
    console.until(lambda: documents.all() == {"ghosts2/other"}, "the collection is still there")
    console.browser.wait("return ![...document.querySelectorAll('.collections a')].some((one) => one.textContent === 'ghosts')")
    console.click("button", words("undo"))
    console.until(lambda: documents.all() == {"ghosts/g1/parts/a", "ghosts2/other"}, "the collection did not come back")


def test_a_large_collection_is_deleted_with_progress_and_left_half_way(console, documents, server):
    names = [f"{documents.root}/many/{index:04}" for index in range(900)]
    for start in (0, 450):
        writes = [{"update": {"name": name, "fields": {"n": number(1)}}} for name in names[start:start + 450]]
        assert requests.post(f"{server.url}/v1/{documents.root}:commit", json={"writes": writes}, headers=OWNER, timeout=60).status_code == 200
    console.open(f"{DATA}/many")
    console.find("gridcell", "0000")
    # The second page waits until somebody has ended it.
    console.browser.run("""
        const send = window.fetch, gate = new Promise((resolve) => { window.release = resolve; });
        let pages = 0;
        window.fetch = async (address, options) => {
          if (String(address).endsWith(":runQuery") && (pages += 1) === 2) { window.isHeld = true; await gate; }
          return send(address, options);
        };""")
    console.click("button", "Delete collection")
    console.click("button", "Delete 900 documents")
    console.browser.wait("return window.isHeld && document.querySelector('progress')?.value === 300")
    console.sees("300 documents deleted")
    console.click("button", "Cancel")
    console.browser.run("window.release()")
    console.browser.wait("return !document.querySelector('dialog')")
    assert len(documents.all()) == 600
    console.click("button", "Undo")
    console.until(lambda: len(documents.all()) == 900, "not all came back")
