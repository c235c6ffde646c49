"""The console in headless Chromium: experiments of Remote Config, from the form to what the variants came to."""

import pytest

from support.analytics import Analytics, batch, event
from support.axe import findings
from support.looks import LANGUAGES
from support.remote_config import RemoteConfig

pytestmark = pytest.mark.brasa_only

INSTALLATIONS = 240
WORDS = {
    "en": {
        "add": "New experiment", "id": "Experiment", "parameter": "Parameter", "who": "For", "variant": "Variant", "event": "Event", "take": "Save to draft", "publish": "Publish changes",
        "rate": "Rate", "chance": "Unlikely to be chance", "compare": "Compare", "few": "Needs at least 100 installations.", "end": "End experiment",
        "edit": "Edit", "name": "Name", "stop": "Stop", "start": "Start", "stopped": "Stopped", "copy": "Duplicate", "description": "Description", "exposure": "Share of users (%)",
    },
    "pt-BR": {
        "add": "Novo experimento", "id": "Experimento", "parameter": "Parâmetro", "who": "Para", "variant": "Variante", "event": "Evento", "take": "Salvar no rascunho", "publish": "Publicar alterações",
        "rate": "Taxa", "chance": "Dificilmente é acaso", "compare": "Comparar", "few": "São necessárias ao menos 100 instalações.", "end": "Encerrar experimento",
        "edit": "Editar", "name": "Nome", "stop": "Parar", "start": "Iniciar", "stopped": "Parado", "copy": "Duplicar", "description": "Descrição", "exposure": "Porcentagem de usuários",
    },
}


@pytest.fixture
def config(server, project):
    made = RemoteConfig(server, project)
    made.publish({"parameters": {"button": {"defaultValue": {"value": "blue"}}}})
    return made


@pytest.fixture
def analytics(server, project):
    return Analytics(server, project)


def add(console, words, name="checkout", who=""):
    """Fills the form of a new experiment on the parameter `button`, and publishes it."""
    console.click("button", words["add"])
    console.find("dialog", words["add"])
    console.fill(words["id"], name)
    console.put(words["parameter"], "button")
    console.choose(words["who"], who)
    console.browser.run("document.querySelectorAll('dialog .variant')[1].querySelectorAll('input')[2].value = 'red'")
    console.put(words["event"], "purchase")
    take(console, words)
    console.find("link", name)


def take(console, words):
    """Publishes what a form has, once its differences are shown."""
    console.click("button", words["take"])
    publish(console, words)


def publish(console, words):
    console.find("dialog", words["publish"])
    console.click("button", words["publish"])
    console.browser.wait("return !document.querySelector('dialog')")


def fetched(config, number):
    return config.fetch({"app_instance_id": f"c{number}"}).json()["entries"]["button"]


@LANGUAGES
def test_from_the_form_to_the_result_and_its_end(console, config, analytics, language):
    words = WORDS[language]
    console.open("config/experiments", language)
    add(console, words)
    template, _ = config.get()
    [condition] = template["conditions"]
    assert condition["name"] == "Experiment checkout" and condition["expression"] == "true"
    parameter = template["parameters"]["button"]
    assert parameter["defaultValue"] == {"value": "blue"}
    value = parameter["conditionalValues"]["Experiment checkout"]["experimentValue"]
    assert value["goal"] == {"event": "purchase", "measure": "users"}
    assert [one.get("value") for one in value["variantValue"]] == [None, "red"]
    # Of one variant nearly all buy, of the other a few.
    shown = {number: fetched(config, number) for number in range(INSTALLATIONS)}
    bought = [number for number, color in shown.items() if number % 10 < (9 if color == "red" else 2)]
    for number in shown:
        analytics.accepted(batch(f"c{number}", event("open"), *([event("purchase")] if number in bought else []), number=number + 1))
    reds = sum(color == "red" for color in shown.values())
    console.click("link", "checkout")
    console.sees(words["rate"])
    console.sees(words["chance"])
    cells = "return [...document.querySelectorAll('main tbody tr')].map((row) => [...row.children].map((cell) => cell.innerText))"
    baseline, red = console.browser.run(cells)
    assert [int(text.split(" (")[0]) for text in (baseline[1], red[1])] == [INSTALLATIONS - reds, reds]
    assert [int(text) for text in red[2:4]] == [reds, sum(shown[number] == "red" for number in bought)]
    low, high = (float(text.replace(",", ".")) for text in console.browser.run("return /\\+([\\d.,]+) %\\s\\S+\\s\\+([\\d.,]+) %/.exec(document.querySelector('main tbody tr:last-child').innerText).slice(1)"))
    assert 0 < low < 70 < high
    assert findings(console) == []
    # Another goal is in the address.
    console.put(words["event"], "nothing")
    console.click("button", words["compare"])
    console.browser.wait("return location.search.includes('event=nothing')")
    console.browser.wait("return [...document.querySelectorAll('main tbody tr')].every((row) => row.children[3]?.innerText === '0')")
    console.click("button", words["end"])
    console.find("dialog", words["end"])
    console.choose(words["variant"], "A")
    take(console, words)
    # It is published once the list, which is empty again, comes up.
    console.find("button", words["add"])
    assert {fetched(config, number) for number in range(10)} == {"red"}
    assert "experimentValue" not in str(config.get()[0])


@LANGUAGES
def test_one_that_runs_is_changed_stopped_started_and_duplicated(console, config, language):
    words = WORDS[language]
    console.open("config/experiments", language)
    add(console, words)
    shown = {number: fetched(config, number) for number in range(40)}
    assert set(shown.values()) == {"blue", "red"}

    def published(name="checkout"):
        template, _ = config.get()
        return template["parameters"]["button"]["conditionalValues"][f"Experiment {name}"]["experimentValue"]

    before = published()
    console.click("link", "checkout")
    console.click("button", words["edit"])
    console.find("dialog", words["edit"])
    console.put(words["description"], "Which color sells?")
    console.put(words["exposure"], "60.5")
    take(console, words)
    console.sees("Which color sells?")
    assert published() == before | {"description": "Which color sells?", "exposurePercent": 60.5}
    # Its name is for people: who has a variant keeps it, and the one as which results are counted stays.
    console.click("button", words["edit"])
    console.find("dialog", words["edit"])
    console.put(words["name"], "Farbe & Größe 🎨")
    take(console, words)
    console.sees("Farbe & Größe 🎨")
    before |= {"displayName": "Farbe & Größe 🎨"}
    assert published() == before | {"description": "Which color sells?", "exposurePercent": 60.5}
    console.click("button", words["stop"])
    publish(console, words)
    console.sees(words["stopped"])
    assert published() == before | {"description": "Which color sells?", "exposurePercent": 0}
    assert {fetched(config, number) for number in shown} == {"blue"}
    # All that had a variant are still counted, and have it again.
    console.click("button", words["start"])
    console.find("dialog", words["edit"])
    take(console, words)
    console.find("button", words["stop"])
    assert {number: fetched(config, number) for number in shown} == shown
    cells = console.browser.wait("const rows = [...document.querySelectorAll('main tbody tr')]; return rows.length > 0 && rows.map((row) => parseInt(row.children[1].innerText))")
    assert sum(cells) == len(shown)
    console.click("button", words["copy"])
    console.find("dialog", words["add"])
    console.fill(words["id"], "again")
    take(console, words)
    console.find("link", "again")
    assert published("again") == {name: value for name, value in published().items() if name != "displayName"} | {"experimentId": "again"}
    console.find("link", "Farbe & Größe 🎨")


def test_an_experiment_for_an_audience_and_what_is_wrong_with_one(console, config, analytics):
    analytics.accepted(batch("c1", event("purchase")))
    analytics.report("audiences/buyers", "PUT", body={"days": 7, "rule": {"event": "purchase"}})
    console.open("config/experiments")
    console.click("button", "New experiment")
    console.find("dialog", "New experiment")
    console.put("Parameter", "not a name")
    console.click("button", "Save to draft")
    console.sees("This name is missing or taken.")
    console.fill("Experiment", "few")
    console.click("button", "Save to draft")
    console.sees("Names have letters")
    console.put("Parameter", "button")
    console.browser.run("document.querySelectorAll('dialog .variant')[1].querySelectorAll('input')[0].value = 'Baseline'")
    console.click("button", "Save to draft")
    console.sees("Each variant needs a different name.")
    console.browser.run("document.querySelectorAll('dialog .variant')[1].querySelectorAll('input')[0].value = 'A'")
    console.put("Share of users (%)", "101")
    console.click("button", "Save to draft")
    console.sees("a percentage between 0 and 100 is expected")
    console.click("button", "Cancel")
    add(console, WORDS["en"], "few", "audience:buyers")
    assert config.get()[0]["conditions"][0]["expression"] == "app.audiences.inAtLeastOne(['buyers'])"
    assert config.fetch({"app_instance_id": "stranger"}).json()["entries"]["button"] == "blue"
    console.click("link", "few")
    console.sees("app.audiences.inAtLeastOne(['buyers'])")
    console.sees("Needs at least 100 installations.")


def test_a_ratio_that_is_hardly_chance_is_an_alarm(console, config):
    def publish(weight):
        variants = [{"variantId": name, "weight": weight, "value": name} for name in ("a", "b")]
        value = {"experimentValue": {"experimentId": "lossy", "variantValue": variants, "goal": {"event": "purchase"}}}
        config.publish({"parameters": {"button": {"defaultValue": value}}})

    publish(1)
    chosen = [number for number in range(60) if fetched(config, number) == "a"]
    # Counted anew, and of one variant nobody comes.
    publish(2)
    for number in chosen:
        fetched(config, number)
    console.open("config/experiments")
    console.sees("Sample ratio")
    console.click("link", "lossy")
    assert "p < 0.001" in console.text("alert")
    console.sees("Not compared.")
    assert findings(console) == []
