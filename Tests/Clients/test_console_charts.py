"""Charts in headless Chromium: they fill their card at every width, and say their values to pointer and keys."""

import time

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from support.analytics import Analytics, batch, event
from support.axe import findings
from support.texts import Texts

pytestmark = pytest.mark.brasa_only

MEASURE = """
return [...document.querySelectorAll('.chart')].map((chart) => {
  const card = chart.closest('.panel'), inside = card.clientWidth - parseFloat(getComputedStyle(card).paddingLeft) * 2;
  const box = chart.getBoundingClientRect(), texts = [...chart.querySelectorAll('svg text')].map((one) => one.getBoundingClientRect());
  const below = texts.filter((one) => one.top > box.bottom - 26).sort((one, other) => one.left - other.left);
  return { missing: inside - box.width, size: parseFloat(getComputedStyle(chart.querySelector('text')).fontSize) * chart.querySelector('svg').getBoundingClientRect().width / Number(chart.querySelector('svg').getAttribute('width')),
    cut: texts.filter((one) => one.left < card.getBoundingClientRect().left || one.right > card.getBoundingClientRect().right).length, overlaps: below.slice(1).filter((one, at) => one.left < below[at].right).length };
})"""


@pytest.mark.parametrize("width, scheme, language", [(390, "dark", "pt-BR"), (1440, "light", "en")])
def test_charts_fill_their_card_and_say_their_values(console, server, project, width, scheme, language):
    text = Texts(language)
    analytics = Analytics(server, project)
    # More than a thousand, so that the labels of the axis are long.
    for number in range(25):
        analytics.accepted(batch(f"c{number:03}-efghijklmnopqrst_", *[event("open", at=time.time_ns() // 1_000 - index * 1_000, sequence=index) for index in range(48)]))
    console.browser.show_as(width, 900, scheme)
    console.open("analytics/live", language)
    console.browser.wait("return document.querySelectorAll('.chart svg text').length > 4")
    for measured in console.browser.run(MEASURE):
        assert abs(measured["missing"]) <= 1 and measured["size"] == 12 and measured["cut"] == 0 and measured["overlaps"] == 0, measured
    assert findings(console) == []
    # The arrow keys go through the columns; what they say is the number, written as the language does.
    chart = f'.chart[aria-label="{text("analytics.byMinute")}"]'
    console.browser.run("document.querySelector(arguments[0]).focus()", chart)
    ActionChains(console.driver).send_keys(Keys.END).perform()
    said = []
    for _ in range(30):
        said.append(console.browser.run("return document.querySelector(arguments[0]).getAttribute('aria-valuetext')", chart))
        ActionChains(console.driver).send_keys(Keys.ARROW_LEFT).perform()
    most = {"en": "1,2", "pt-BR": "1.2"}[language]
    assert any(most in one for one in said) or sum(int(one.rsplit(" ", 1)[1].replace(",", "").replace(".", "")) for one in said) >= 1_200, said
    tip = "const tip = document.querySelector(arguments[0] + ' .chart-tip'); return tip.hidden ? null : tip.textContent"
    assert console.browser.run(tip, chart)
    assert console.browser.run("const tip = document.querySelector(arguments[0] + ' .chart-tip').getBoundingClientRect(); return tip.left >= 0 && tip.right <= innerWidth", chart)
    ActionChains(console.driver).send_keys(Keys.ESCAPE).perform()
    assert console.browser.run(tip, chart) is None
    ActionChains(console.driver).move_to_element(console.driver.find_element("css selector", chart)).perform()
    assert console.browser.run(tip, chart)
    # What is new has no change in percent, let alone one without end.
    console.open("analytics", language)
    console.sees(text("chart.new"))
    console.sees_not("∞")


def test_an_open_table_and_the_column_pointed_at_stay_while_figures_come(console):
    console.open("operations")
    console.browser.wait("return document.querySelectorAll('.chart-table').length === 6")
    console.browser.run("document.querySelector('figure summary').click(); window.before = document.querySelector('figure')")
    console.browser.wait("return document.querySelector('figure') !== window.before && document.querySelector('figure')")
    console.browser.wait("return document.querySelector('figure details').open")
