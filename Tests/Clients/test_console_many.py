"""The console in headless Chromium: the tree, changes of many documents, data as a user sees it."""

import pytest
import requests

from support import secrets, server as servers
from support.administrators import Page, administrator
from support.looks import LANGUAGES

pytestmark = pytest.mark.brasa_only

OWNER = {"authorization": "Bearer owner"}
DATA = "firestore/-default-/data"
RULES = """rules_version = '2';
service cloud.firestore {
  match /databases/{database}/documents {
    match /products/{id} {
      allow read: if request.auth.uid == resource.data.owner || resource.data.owner == 'everybody';
      allow write: if request.auth != null;
    }
  }
}
"""


@pytest.fixture
def console(console):
    """The console in a wider window, where a document is beside its collection."""
    console.browser.show_as(1600, 900)
    return console


class Documents:
    """Documents below a root."""

    def __init__(self, server, project):
        self.root = f"{server.url}/v1/projects/{project}/databases/(default)/documents"

    def put(self, path, **fields):
        answer = requests.patch(f"{self.root}/{path}", json={"fields": fields}, headers=OWNER, timeout=30)
        assert answer.status_code == 200, answer.text

    def fill(self, count):
        """So many products with a price each."""
        name = self.root.split("/v1/")[1]
        writes = [{"update": {"name": f"{name}/products/p{index:03}", "fields": {"price": number(index)}}} for index in range(count)]
        for start in range(0, count, 500):
            answer = requests.post(f"{self.root}:commit", json={"writes": writes[start:start + 500]}, headers=OWNER, timeout=60)
            assert answer.status_code == 200, answer.text

    def fields(self, path):
        answer = requests.get(f"{self.root}/{path}", headers=OWNER, timeout=30)
        return answer.json().get("fields", {}) if answer.status_code == 200 else None


@pytest.fixture
def documents(server, project):
    return Documents(server, project)


def text(value):
    return {"stringValue": value}


def number(value):
    return {"integerValue": str(value)}


# The tree


@LANGUAGES
def test_the_tree_leads_through_documents_that_are_not_there(console, documents, language):
    tree = {"en": "Tree", "pt-BR": "Árvore"}[language]
    documents.put("products/chair", name=text("Cadeira"))
    documents.put("products/gone/reviews/first", stars=number(5))
    console.open(f"{DATA}/products", language)
    console.click("button", tree)
    console.click("link", "gone")
    # Both collections of the way stay in sight.
    console.browser.wait("return document.querySelectorAll('.tree > nav').length === 3")
    console.browser.wait("return [...document.querySelectorAll('.tree a.missing')].map((one) => one.textContent).join() === 'gone'")
    console.click("link", "reviews")
    console.click("link", "first")
    console.find("textbox", {"en": "Value of stars", "pt-BR": "Valor de stars"}[language])
    assert "view=tree" in console.driver.current_url and console.driver.current_url.split("?")[0].endswith("/products/gone/reviews/first")


# Many documents


def plan(console, action, **fields):
    console.click("button", "Bulk edit")
    console.find("dialog", "Bulk edit")
    console.choose("Action", action)
    for name, content in fields.items():
        console.put({"field": "Field", "to": "New name", "value": "Value"}[name], content)
    console.click("button", "Try")


def test_a_query_is_changed_after_a_trial_and_undone(console, documents):
    documents.fill(620)
    console.open(f"{DATA}/products?q=price%20%3E%3D%20310")
    plan(console, "increment", field="price", value="1000")
    console.sees("310 documents match.")
    console.sees('"price": 1310')
    # The trial changed nothing.
    assert documents.fields("products/p310")["price"] == number(310)
    console.click("button", "Change 310 documents")
    console.sees("310 documents changed.")
    assert documents.fields("products/p310")["price"] == number(1310) and documents.fields("products/p309")["price"] == number(309)
    # What somebody changes after it stays as it is then.
    documents.put("products/p400", price=number(7))
    console.click("button", "Undo")
    console.sees("Undone, except 1 document")
    assert documents.fields("products/p310")["price"] == number(310) and documents.fields("products/p400")["price"] == number(7)
    assert documents.fields("products/p619")["price"] == number(619)


def test_many_are_deleted_and_come_back(console, documents):
    for name in "abc":
        documents.put(f"products/{name}", name=text(name), price=number(1))
    console.open(f"{DATA}/products?q=name%20!%3D%20%22c%22")
    plan(console, "delete")
    console.click("button", "Delete 2 documents")
    console.sees("2 documents changed.")
    assert [documents.fields(f"products/{name}") is None for name in "abc"] == [True, True, False]
    console.click("button", "Undo")
    console.sees("Undone")
    assert documents.fields("products/a") == {"name": text("a"), "price": number(1)}


def test_what_is_no_plan_is_said(console, documents):
    documents.put("products/a", name=text("a"))
    console.open(f"{DATA}/products")
    plan(console, "set", field="", value="1")
    console.sees("Enter a field name.")
    console.put("Field", "name")
    console.put("Value", "{")
    console.click("button", "Try")
    console.find("alert")
    console.put("Value", '"a"')
    console.click("button", "Try")
    console.sees("Stays as it is.")
    assert documents.fields("products/a") == {"name": text("a")}


# As a user


def test_data_is_seen_as_the_rules_let_a_user_see_it(console, documents, server, project):
    rules = {"rules": {"files": [{"name": "firestore.rules", "content": RULES}]}}
    assert requests.put(f"{server.url}/emulator/v1/projects/{project}:securityRules", json=rules, headers=OWNER, timeout=30).status_code == 200
    documents.put("products/hers", owner=text("ada"))
    documents.put("products/his", owner=text("alan"))
    console.open(f"{DATA}/products/his")
    console.find("textbox", "Value of owner")
    # What an administrator counted is not shown as what the user may count.
    console.click("button", "Count")
    console.sees("2 in all")
    console.click("button", "See as a user")
    console.find("dialog", "See as a user")
    console.fill("uid", "ada")
    console.click("button", "See")
    console.sees("Viewing as ada")
    # Neither the query, which is not limited to hers, nor his document.
    console.sees("You don't have permission to do this.")
    assert "in all" not in console.browser.run("return document.querySelector('main').innerText")
    console.click("button", "Count")
    console.browser.wait("return document.querySelector('.toast')?.innerText.includes('have permission to do this.')")
    console.driver.execute_script("history.pushState(null, '', arguments[0]); dispatchEvent(new PopStateEvent('popstate'))", f"/console/{project}/{DATA}/products/hers")
    assert console.read("Value of owner") == "ada"
    assert not console.is_enabled("Save")
    console.click("button", "See everything again")
    console.sees_not("Viewing as ada")
    console.browser.wait("return [...document.querySelectorAll('[role=gridcell]')].some((cell) => cell.textContent === 'his')")


def test_a_view_reads_by_the_rules_and_ends_with_the_session(production):
    owner = administrator(production, "owner", "viewing@example.org")
    root = f"/v1/projects/{servers.PROJECT}/databases/(default)/documents"
    source = {"source": {"files": [{"name": "firestore.rules", "content": RULES}]}}
    ruleset = owner.call("POST", f"/v1/projects/{servers.PROJECT}/rulesets", json=source).json()["name"]
    release = {"release": {"name": f"projects/{servers.PROJECT}/releases/cloud.firestore", "rulesetName": ruleset}}
    assert owner.call("PATCH", f"/v1/projects/{servers.PROJECT}/releases/cloud.firestore", json=release).status_code == 200
    for name, who in (("hers", "ada"), ("his", "alan")):
        assert owner.call("PATCH", f"{root}/products/{name}", json={"fields": {"owner": text(who)}}).status_code == 200
    view = f"/console/api/projects/{servers.PROJECT}/view"
    token = secrets.note(owner.call("POST", view, json={"uid": "ada"}).json()["token"], "view token")

    def as_ada(method, path, **options):
        headers = {"authorization": f"Bearer {token}"}
        return requests.request(method, production.url + path, headers=headers, verify=production.authority, timeout=30, **options).status_code

    assert as_ada("GET", f"{root}/products/hers") == 200
    assert as_ada("GET", f"{root}/products/his") == 403
    # The rules would let her write; who looks as her may not.
    assert as_ada("PATCH", f"{root}/products/hers", json={"fields": {}}) == 403
    assert as_ada("POST", f"{root}:commit", json={"writes": [{"delete": f"{root[4:]}/products/hers"}]}) == 403
    assert as_ada("GET", "/console/api/projects") == 403
    assert as_ada("POST", view, json={"uid": "alan"}) == 403
    entries = owner.call("GET", "/console/api/audit").json()["entries"]
    assert any(one["target"] == view and one["administrator"] == "viewing@example.org" for one in entries)
    owner.post("end", headers={"authorization": f"Bearer {owner.token}"})
    assert as_ada("GET", f"{root}/products/hers") == 401


@pytest.mark.parametrize("role, code", [("editor", 403), ("viewer", 403)])
def test_only_owners_see_as_others(production, role, code):
    page = administrator(production, role, f"no-view-{role}@example.org")
    assert page.call("POST", f"/console/api/projects/{servers.PROJECT}/view", json={"uid": "ada"}).status_code == code


def test_nobody_else_gets_a_view(production):
    page = Page(production)
    key = {"authorization": f"Bearer {production.administrator_key}"}
    for headers in ({}, key):
        answer = page.session.post(f"{production.url}/console/api/projects/{servers.PROJECT}/view", json={"uid": "ada"}, headers=headers, verify=production.authority, timeout=30)
        assert answer.status_code in (401, 403), answer.text
