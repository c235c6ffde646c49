"""How pages are looked at: width in pixels, scheme, language."""

import itertools

import pytest

# For every run; the slow one has all of them.
FAST = [(360, "dark", "pt-BR"), (1024, "light", "en")]
EVERY = [*itertools.product((360, 1024, 1600), ("light", "dark"), ("en", "pt-BR"))]
# Portuguese, whose texts are the longer ones, in every run; most other tests read English.
LANGUAGES = pytest.mark.parametrize("language", [pytest.param("en", marks=pytest.mark.slow), "pt-BR"])


def looks(*fast):
    """Parameters `width, scheme, language`: those looks in every run, the others with the slow tests."""
    return pytest.mark.parametrize(
        "width, scheme, language",
        [pytest.param(*look, marks=() if look in fast else pytest.mark.slow, id="-".join(map(str, look))) for look in EVERY],
    )


def cut_off(browser):
    """How many pixels the page is wider than its window, and the controls in sight that are too small for a finger."""
    return browser.run(
        "return [Math.max(0, document.documentElement.scrollWidth - innerWidth),"
        " [...document.querySelectorAll('button, select, input')].filter((one) => one.offsetParent && !one.matches('[type=checkbox], [type=radio]')"
        " && (one.offsetHeight < 24 || one.offsetWidth < 24)).map((one) => one.outerHTML.slice(0, 200))]"
    )
