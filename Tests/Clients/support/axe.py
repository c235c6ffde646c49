"""What axe-core finds on a page of the console, by the rules of WCAG 2.2 and those of good practice."""

import functools
import importlib.util
import pathlib

RULESETS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@functools.cache
def source():
    """axe-core, out of the package that has it."""
    [folder] = importlib.util.find_spec("axe_playwright_python").submodule_search_locations
    return (pathlib.Path(folder) / "axe.min.js").read_text()


def findings(console, part=":root"):
    """What is wrong with the parts of the page that a selector names."""
    console.browser.run(source())
    return console.driver.execute_async_script(
        "const [part, rules, done] = arguments; axe.run(part, { runOnly: rules }).then("
        " (result) => done(result.violations.map((one) => [one.id, one.nodes.map((node) => node.html.slice(0, 200))])), (error) => done([String(error)]))",
        part, RULESETS,
    )
