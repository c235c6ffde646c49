"""The console in headless Chromium: what apps' events say, and DebugView."""

import pytest
import requests

from support.analytics import Analytics, batch, event
from support.looks import LANGUAGES

pytestmark = pytest.mark.brasa_only

INSTANCES = [f"cAbc-efghijklmnopqr{letter}_" for letter in "abc"]
HOSTILE = "<img src=x onerror=alert(1)>\u202e &"


@pytest.fixture
def analytics(server, project):
    return Analytics(server, project)


def shop(analytics):
    """Three people: all look at something, two put it into the cart, one buys."""
    for index, instance in enumerate(INSTANCES):
        events = [event("first_open", {"engagement_time_msec": 1_000}), event("select_item", {"item_id": "SKU_1" if index else HOSTILE}, sequence=1)]
        if index < 2:
            events.append(event("add_to_cart", sequence=2))
        if index == 0:
            events.append(event("purchase", {"value": 12.5}, sequence=3))
        analytics.accepted(batch(instance, *events, userId=f"user-{index}", userProperties={"level": {"value": str(index)}}))


@LANGUAGES
def test_the_dashboard_leads_to_an_event_and_its_parameters(console, analytics, language):
    words = {"en": ("New users", "Most frequent events", "2 values"), "pt-BR": ("Usuários novos", "Eventos mais frequentes", "2 valores")}[language]
    new, frequent, values = words
    shop(analytics)
    console.open("analytics", language)
    console.sees(frequent)
    cards = console.browser.run("return Object.fromEntries([...document.querySelectorAll('.card')].map((one) => [one.querySelector('dt').textContent, one.querySelector('dd').textContent]))")
    assert cards[new] == "3"
    console.browser.run("document.querySelector('main select').value = 'country'; document.querySelector('main select').dispatchEvent(new Event('change'))")
    console.browser.wait("return [...document.querySelectorAll('td')].some((one) => one.textContent === 'BR')")
    console.click("link", "select_item")
    console.sees(values)
    console.browser.wait("return [...document.querySelectorAll('td')].some((one) => one.textContent === arguments[0])", HOSTILE)


@LANGUAGES
def test_an_event_is_marked_as_a_key_event(console, analytics, server, project, language):
    shop(analytics)
    name = {"en": "purchase is a key event", "pt-BR": "purchase é um evento principal"}[language]
    console.open("analytics/events", language)
    marked = lambda: requests.get(f"{server.url}/v1/projects/{project}/analytics/settings", headers={"authorization": "Bearer owner"}, timeout=30).json()["keyEvents"]  # noqa: E731
    assert marked() == []
    console.click("checkbox", name)
    console.until(lambda: marked() == ["purchase"], "the mark is not kept")
    console.open("analytics/events", language)
    assert console.look("checkbox", name, lambda box: box.is_selected())
    console.click("checkbox", name)
    console.until(lambda: marked() == [], "the mark stays")
    # Several at once are all kept.
    console.browser.run("for (const box of document.querySelectorAll('main td input[type=checkbox]')) box.click()")
    console.until(lambda: {"add_to_cart", "purchase", "select_item"} <= set(marked()), "a mark is lost")


def test_a_funnel_an_audience_and_a_timeline(console, analytics):
    shop(analytics)
    console.open("analytics/funnel")
    for field, name in zip(console.all("combobox", "Step") or console.all("textbox", "Step"), ("select_item", "purchase")):
        console.browser.run("arguments[0].value = arguments[1]", field, name)
    console.click("button", "Show")
    console.browser.wait("return [...document.querySelectorAll('td')].some((one) => one.textContent === '33 %')")
    console.click("link", "Audiences")
    console.click("button", "Add audience")
    console.fill("Name", "buyers")
    console.browser.run("arguments[0].value = 'purchase'", console.all("textbox", "Value")[-1])
    console.click("button", "Save")
    console.click("link", "buyers")
    console.sees("1 user;")
    console.click("link", INSTANCES[0])
    console.sees("add_to_cart")
    console.browser.run("document.querySelector('main ol details > summary').click()")
    console.sees("user-0")


def test_the_debug_view_shows_events_and_what_is_dropped_as_they_come(console, analytics):
    console.open("analytics/debugview")
    console.sees("No device is in debug mode.")
    analytics.accepted(batch(INSTANCES[0], event("select_item", {"item_id": HOSTILE, "price": 9.5}), debug=True, userProperties={"level": {"value": "12"}}))
    console.browser.wait("return document.querySelector('main ol summary b')?.textContent === 'select_item'")
    console.browser.run("document.querySelector('main ol summary').click()")
    console.sees("9.5")
    console.browser.wait("return [...document.querySelectorAll('dd')].some((one) => one.textContent === arguments[0])", HOSTILE)
    analytics.accepted(batch(INSTANCES[0], event("1wrong"), event("new_item"), debug=True))
    console.browser.wait("return [...document.querySelectorAll('main ol summary b')].some((one) => one.textContent === 'new_item')")
    console.sees("A name that is not allowed")
    # What was opened stays open.
    assert console.browser.run("return document.querySelectorAll('main ol details[open]').length") == 1
    # A second device is chosen by its name.
    analytics.accepted(batch(INSTANCES[1], event("of_the_other"), debug=True))
    console.browser.wait("return document.querySelectorAll('main select option').length === 2")
    console.choose("Device", INSTANCES[1])
    console.sees("of_the_other")


def test_the_last_minutes_show_by_themselves(console, analytics):
    console.open("analytics/live")
    console.sees("No events in this period.")
    shop(analytics)
    console.browser.wait("return [...document.querySelectorAll('td')].some((one) => one.textContent === 'select_item')")
    console.browser.wait("return document.querySelector('.card dd').textContent === '3'")
    assert len(console.browser.run("return [...document.querySelectorAll('.chart-column')]")) >= 1


def test_the_period_is_in_the_address(console, analytics):
    shop(analytics)
    console.open("analytics/events?from=2020-01-01&to=2020-01-07")
    console.sees("No events in this period.")
    console.click("button", "7 days")
    console.find("link", "select_item")
    assert "from=" in console.driver.current_url and "2020" not in console.driver.current_url
