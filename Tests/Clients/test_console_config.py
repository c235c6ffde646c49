"""Remote Config with many parameters in headless Chromium: found by search, with their types; conditions and versions a tab away."""

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from support.axe import findings
from support.looks import cut_off
from support.remote_config import RemoteConfig
from support.texts import Texts

pytestmark = pytest.mark.brasa_only

OWNER = {"authorization": "Bearer owner"}


@pytest.fixture
def template(server, project):
    """Forty-one parameters of all types, three conditions."""
    parameters = {f"flag_{number:02}": {"valueType": "BOOLEAN", "defaultValue": {"value": "false"}} for number in range(38)}
    parameters |= {"greeting": {"valueType": "STRING", "defaultValue": {"value": "Olá, mundo"}, "conditionalValues": {"Brazil": {"value": "Oi"}}}, "rate": {"valueType": "NUMBER", "defaultValue": {"value": "0.5"}, "description": "Share that is sampled"}, "menu": {"valueType": "JSON", "defaultValue": {"value": "[1]"}}}
    conditions = [{"name": name, "expression": f"device.country in ['{code}']", "tagColor": color} for name, code, color in (("Brazil", "BR", "GREEN"), ("France", "FR", "BLUE"), ("Japan", "JP", "PINK"))]
    made = RemoteConfig(server, project)
    made.publish({"conditions": conditions, "parameters": parameters})
    return made


@pytest.mark.parametrize("width, scheme, language", [(390, "light", "en"), (1440, "dark", "pt-BR")])
def test_parameters_are_searched_and_conditions_are_a_tab_away(console, template, width, scheme, language):
    text = Texts(language)
    console.browser.show_as(width, 900, scheme)
    console.open("config", language)
    names = "return [...document.querySelectorAll('main [role=tabpanel] tbody tr')].map((one) => one.querySelector('button').textContent)"
    console.until(lambda: len(console.browser.run(names)) == 41, "not all parameters")
    assert findings(console) == [] and cut_off(console.browser) == [0, []]
    assert not console.all("button", "Brazil")
    for typed, found in [("MUNDO", ["greeting"]), ("sampled" if language == "en" else "Sampled", ["rate"]), ("brazil", ["greeting"]), ("flag_3", [f"flag_3{number}" for number in range(8)])]:
        console.fill(text("config.search"), typed)
        console.until(lambda: console.browser.run(names) == found, f"{typed}: not {found}")
    console.fill(text("config.search"), "no such thing")
    console.sees(text("config.notFound"))
    console.fill(text("config.search"), "rate")
    console.sees(text("config.NUMBER"))
    # By keys alone to the conditions, whose names begin where their column does.
    console.browser.run("document.querySelector('[role=tab][aria-selected=true]').focus()")
    ActionChains(console.driver).send_keys(Keys.ARROW_RIGHT).perform()
    console.find("button", "Brazil")
    assert console.browser.run("return document.activeElement.getAttribute('role') + ' ' + document.activeElement.getAttribute('aria-selected')") == "tab true"
    assert findings(console) == [] and cut_off(console.browser) == [0, []]
    if width > 600:
        edges = "const cell = document.querySelector('[role=tabpanel] tbody tr').cells[1], button = cell.querySelector('button'), style = getComputedStyle(cell); return button.querySelector('.dot').getBoundingClientRect().left - cell.getBoundingClientRect().left - parseFloat(style.paddingLeft)"
        assert abs(console.browser.run(edges)) <= 4
    # What is changed in one tab is there in the others, and the button keeps the focus as the rows move.
    later = text("config.later", "Brazil")
    console.browser.run("arguments[0].focus()", console.find("button", later))
    ActionChains(console.driver).send_keys(Keys.ENTER).perform()
    console.sees(text("config.unpublished"))
    assert console.browser.run("return document.activeElement.getAttribute('aria-label')") == later
    ActionChains(console.driver).send_keys(Keys.ENTER).perform()
    console.click("tab", f"{text('config.parameters')} 41")
    console.sees(text("config.unpublished"))
    assert console.read(text("config.search")) == "rate"
    console.click("button", text("config.publish"))
    console.find("dialog")
    console.click("button", text("config.publish"))
    console.sees(text("config.published"))
    assert [one["name"] for one in template.get()[0]["conditions"]] == ["France", "Japan", "Brazil"]
    console.click("tab", text("rules.versions"))
    console.find("button", text("config.rollBack"))
    assert findings(console) == []
