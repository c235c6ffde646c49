"""The samples of the SDK's documentation: one program a page, which must compile."""

import re

from support import server as servers

BLOCK = re.compile(r"^```swift\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def pages():
    """Every page with samples, in order."""
    catalogues = (servers.CHECKOUT / "Sources" / "SDK").rglob("*.docc/*.md")
    return [servers.CHECKOUT / "docs" / "sdk.md", *sorted(catalogues)]


def program(page, number):
    """A page's blocks one after another as a function; blocks called `swift manifest` are no part of it."""
    lines = "\n".join(BLOCK.findall(page.read_text())).splitlines()
    imports = {line for line in lines if line.startswith("import ")}
    body = [f"  {line}" for line in lines if line not in imports]
    return "\n".join([
        f"// {page.name}", "import Firebase", "import Foundation", *sorted(imports), "",
        f"func sample{number}() async throws {{", *body, "}", "",
    ])
