"""The console in headless Chromium: rules and users."""

import pytest
import requests

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
    console.click("button", "Put into the editor")
    console.browser.wait("return !document.querySelector('dialog') && document.querySelector('textarea.editor-text').value.includes('> 5')")


def test_two_administrators_publish_rules(console, server, project):
    deploy(server, project, RULES)
    console.open("rules")
    console.find("textbox", "Source of the rules")
    console.put("Source of the rules", RULES.replace("> 5", "> 6"))
    other = RULES.replace("> 5", "> 7")
    deploy(server, project, other)
    publish(console)
    console.sees("Somebody else has published other rules meanwhile.")
    assert rules_in_force(server, project) == other
    assert "> 6" in console.read("Source of the rules")
    publish(console)
    console.sees("The rules are in force")
    assert "> 6" in rules_in_force(server, project)


@pytest.mark.parametrize("language", ["en", "pt-BR"])
def test_a_user_from_beginning_to_end(console, server, project, language):
    words = {
        "en": ("Add user", "Email", "Password", "Name", "Save", "Custom claims, as JSON", "Disabled", "User saved", "Delete user", "User deleted"),
        "pt-BR": ("Adicionar usuário", "E-mail", "Senha", "Nome", "Salvar", "Declarações personalizadas, em JSON", "Desativado", "Usuário salvo", "Excluir usuário", "Usuário excluído"),
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
    console.find("dialog")
    assert console.read(name) == hostile
    console.put(claims, '{"admin":true}')
    console.click("checkbox", disabled)
    console.click("button", save)
    console.sees(saved)
    assert user()["customAttributes"] == '{"admin":true}' and user()["disabled"] is True
    sign_in = requests.post(f"{server.url}/v1/accounts:signInWithPassword?key={project}",
                            json={"email": "ada@example.org", "password": "correct horse battery"}, timeout=30)
    assert sign_in.json()["error"]["message"].startswith("USER_DISABLED")
    console.click("link", "ada@example.org")
    console.click("button", delete)
    console.click("button", delete_it)
    console.sees(deleted)
    assert user() is None
    assert console.driver.title != "run"


def test_users_are_found(console, server, project):
    for number in range(3):
        requests.post(f"{server.url}/v1/projects/{project}/accounts", json={"localId": f"u{number}", "email": f"u{number}@example.org"}, headers=OWNER, timeout=30)
    console.open("users")
    console.sees("u2@example.org")
    for text in ("u1@example.org", "u1"):
        console.fill("Email, phone number or uid", text)
        console.click("button", "Find")
        console.sees_not("u2@example.org")
        console.sees("u1@example.org")
    console.fill("Email, phone number or uid", "nobody")
    console.click("button", "Find")
    console.sees("There is no such user.")
