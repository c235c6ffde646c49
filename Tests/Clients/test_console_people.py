"""The console in headless Chromium: rules and users."""

import pytest
import requests
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from support.axe import findings
from support.looks import LANGUAGES
from support.texts import Texts

pytestmark = pytest.mark.brasa_only

OWNER = {"authorization": "Bearer owner"}

RULES = """rules_version = '2';
service cloud.firestore {
  match /databases/{database}/documents {
    match /products/{id} {
      allow read: if request.auth != null && resource.data.price > 5;
    }
  }
}
"""


@pytest.fixture
def console(console):
    """The console in a wider window, where the playground is beside the rules."""
    console.browser.show_as(1600, 900)
    return console


def deploy(server, project, source):
    answer = requests.put(f"{server.url}/emulator/v1/projects/{project}:securityRules",
                          json={"rules": {"files": [{"name": "firestore.rules", "content": source}]}}, headers=OWNER, timeout=30)
    assert answer.status_code == 200, answer.text


def rules_in_force(server, project):
    answer = requests.get(f"{server.url}/emulator/v1/projects/{project}:securityRules", headers=OWNER, timeout=30)
    return answer.json()["rules"]["files"][0]["content"] if answer.status_code == 200 else None


def publish(console, publish="Publish"):
    console.click("button", publish)
    console.find("dialog")
    console.click("button", publish)


def test_rules_are_written_tried_and_published(console, server, project):
    root = f"{server.url}/v1/projects/{project}/databases/(default)/documents/products"
    for name, price in (("cheap", 1), ("dear", 9)):
        requests.patch(f"{root}/{name}", json={"fields": {"price": {"integerValue": str(price)}}}, headers=OWNER, timeout=30)
    console.open("rules")
    console.find("textbox", "Source of the rules")
    console.put("Source of the rules", RULES.replace("match /products", "mach /products"))
    console.sees("Line 4:")
    console.put("Source of the rules", RULES)
    console.sees_not("Line 4:")
    # Nothing is in force yet: the playground tries what is written.
    console.fill("Path of the document", "products/cheap")
    console.fill("uid", "ada")
    console.click("button", "Run")
    console.sees("Denied")
    console.sees("resource.data.price > 5 = false")
    console.fill("Path of the document", "products/dear")
    console.click("button", "Run")
    console.sees("Allowed")
    assert rules_in_force(server, project) is None
    publish(console)
    console.sees("The rules are in force")
    assert rules_in_force(server, project) == RULES
    assert requests.get(f"{root}/dear", timeout=30).status_code == 403
    console.put("Source of the rules", RULES.replace("> 5", "> 6"))
    console.click("button", "Versions")
    console.click("button", "Compare")
    console.click("button", "Open in the editor")
    console.browser.wait("return !document.querySelector('dialog') && document.querySelector('textarea.editor-text').value.includes('> 5')")


def test_two_administrators_publish_rules(console, server, project):
    deploy(server, project, RULES)
    console.open("rules")
    console.find("textbox", "Source of the rules")
    console.put("Source of the rules", RULES.replace("> 5", "> 6"))
    other = RULES.replace("> 5", "> 7")
    deploy(server, project, other)
    publish(console)
    console.sees("Someone else published rules in the meantime.")
    assert rules_in_force(server, project) == other
    assert "> 6" in console.read("Source of the rules")
    publish(console)
    console.sees("The rules are in force")
    assert "> 6" in rules_in_force(server, project)


@LANGUAGES
def test_a_user_from_beginning_to_end(console, server, project, language):
    words = {
        "en": ("Add user", "Email", "Password", "Name", "Save", "Custom claims, as JSON", "Disabled", "User saved", "Delete user", "User deleted"),
        "pt-BR": ("Adicionar usuário", "E-mail", "Senha", "Nome", "Salvar", "Claims personalizadas, em JSON", "Desativado", "Usuário salvo", "Excluir usuário", "Usuário excluído"),
    }[language]
    add, email, password, name, save, claims, disabled, saved, delete, deleted = words
    delete_it = {"en": "Delete ada@example.org", "pt-BR": "Excluir ada@example.org"}[language]
    hostile = "<img src=x onerror=\"document.title='run'\">"

    def user():
        answer = requests.post(f"{server.url}/v1/projects/{project}/accounts:lookup", json={"email": ["ada@example.org"]}, headers=OWNER, timeout=30)
        return (answer.json().get("users") or [None])[0]

    console.open("users", language)
    console.click("button", add)
    console.fill(email, "ada@example.org")
    console.fill(password, "correct horse battery")
    console.fill(name, hostile)
    console.click("button", save)
    console.click("link", "ada@example.org")
    assert user()["displayName"] == hostile
    console.find("heading", "ada@example.org")
    assert console.read(name) == hostile
    console.put(claims, '{"admin":true}')
    console.click("checkbox", disabled)
    console.click("button", save)
    console.sees(saved)
    assert user()["customAttributes"] == '{"admin":true}' and user()["disabled"] is True
    sign_in = requests.post(f"{server.url}/v1/accounts:signInWithPassword?key={project}",
                            json={"email": "ada@example.org", "password": "correct horse battery"}, timeout=30)
    assert sign_in.json()["error"]["message"].startswith("USER_DISABLED")
    # The page stays, and is the same after a reload.
    console.driver.refresh()
    console.until(lambda: console.read(claims) == '{"admin":true}', "the claims are not shown")
    console.click("button", delete)
    console.click("button", delete_it)
    console.sees(deleted)
    assert user() is None
    assert console.driver.title != "run"


@LANGUAGES
def test_users_are_found_by_a_part_of_what_they_are_known_by(console, server, project, language):
    text = Texts(language)
    people = [("u0", "ada@example.org", "Ada Lovelace", "+5511987654321"), ("u1", "grace@example.org", "Grace Hopper", None), ("u2", "alan@example.net", "Alan Turing", None)]
    for uid, email, name, phone in people:
        body = {"localId": uid, "email": email, "displayName": name} | ({"phoneNumber": phone} if phone else {})
        requests.post(f"{server.url}/v1/projects/{project}/accounts", json=body, headers=OWNER, timeout=30).raise_for_status()
    console.open("users", language)
    console.sees("alan@example.net")
    shown = "return [...document.querySelectorAll('main tbody a')].map((one) => one.textContent)"
    for typed, found in [("example.ORG", ["ada@example.org", "grace@example.org"]), ("hopper", ["grace@example.org"]), ("987 654", ["ada@example.org"]), ("u2", ["alan@example.net"]), ("alan@example.net", ["alan@example.net"])]:
        console.fill(text("users.search"), typed)
        console.until(lambda: sorted(console.browser.run(shown)) == found, f"{typed}: not {found}")
    assert findings(console) == []
    console.fill(text("users.search"), "nobody%_*")
    console.sees(text("users.notFound"))
    # A search is in the address, and is there again after the page of somebody.
    console.fill(text("users.search"), "example.org")
    console.until(lambda: len(console.browser.run(shown)) == 2, "not two")
    console.click("link", "ada@example.org")
    console.find("heading", "ada@example.org")
    assert "q=example.org" in console.driver.current_url and console.driver.title.startswith("ada@example.org · ")
    assert findings(console) == []
    console.fill(text("name"), "Ada King")
    # What is typed is not lost by a link.
    console.click("link", text("page.users"))
    console.dismiss_question()
    assert console.read(text("name")) == "Ada King"
    console.click("button", text("save"))
    console.sees(text("users.saved"))
    console.driver.back()
    console.sees("Ada King")
    console.until(lambda: len(console.browser.run(shown)) == 2, "not two")
    assert console.read(text("users.search")) == "example.org" and not console.driver.title.startswith("ada")
    console.browser.wait("return document.activeElement?.textContent === 'ada@example.org'")
    console.driver.refresh()
    console.until(lambda: sorted(console.browser.run(shown)) == ["ada@example.org", "grace@example.org"], "the search was lost")


def test_versions_are_those_of_the_target_and_broken_rules_are_not_published(console, server, project):
    deploy(server, project, RULES)
    storage = "rules_version = '2';\nservice firebase.storage {\n  match /b/{bucket}/o {\n    match /{path=**} { allow read; }\n  }\n}\n"
    ruleset = requests.post(f"{server.url}/v1/projects/{project}/rulesets", json={"source": {"files": [{"name": "storage.rules", "content": storage}]}}, headers=OWNER, timeout=30).json()
    assert ruleset["metadata"] == {"services": ["firebase.storage"]}
    console.open("rules")
    console.click("button", "Versions")
    console.find("dialog", "Versions of (default)")
    assert findings(console, "dialog[open]") == []
    assert console.browser.run("return document.querySelectorAll('dialog li').length") == 1
    console.click("button", "Close")
    console.open(f"rules/-storage-/{project}.appspot.com")
    console.click("button", "Versions")
    console.find("dialog", f"Versions of {project}.appspot.com")
    assert console.browser.run("return document.querySelectorAll('dialog li').length") == 1
    console.open("rules")
    # One error more, and rules of the other service: neither is offered for publishing.
    for source, complaint in [(RULES.replace("match /products", "mach /products"), "Line 4:"), (storage, "There are no rules of cloud.firestore")]:
        console.put("Source of the rules", source)
        console.sees(complaint)
        console.until(lambda: not console.is_enabled("Publish"), "broken rules can be published")
        assert findings(console) == []
    # By the palette it is asked for nevertheless, and refused.
    ActionChains(console.driver).key_down(Keys.CONTROL).send_keys("k").key_up(Keys.CONTROL).perform()
    console.find("dialog")
    ActionChains(console.driver).send_keys("Publish", Keys.ENTER).perform()
    console.sees("These rules have errors.")
    assert rules_in_force(server, project) == RULES
    console.put("Source of the rules", RULES.replace("> 5", "> 8"))
    console.until(lambda: console.is_enabled("Publish"), "mended rules cannot be published")


def test_enter_indents_and_undo_takes_it_back(console):
    console.open("rules")
    console.put("Source of the rules", "service cloud.firestore {")
    area = console.find("textbox", "Source of the rules")
    area.send_keys(Keys.CONTROL, Keys.END)
    area.send_keys(Keys.NULL, Keys.ENTER, "match /a {}", Keys.ARROW_LEFT, Keys.ENTER, "allow read;", Keys.ARROW_DOWN, Keys.ENTER, "}")
    assert console.read("Source of the rules") == "service cloud.firestore {\n  match /a {\n    allow read;\n  }\n}"
    area.send_keys(Keys.CONTROL, "z")
    assert console.read("Source of the rules") != "service cloud.firestore {\n  match /a {\n    allow read;\n  }\n}"
    # Escape, then Tab, leaves the editor.
    area.send_keys(Keys.NULL, Keys.ESCAPE, Keys.TAB)
    assert console.browser.run("return document.activeElement !== arguments[0]", area)
