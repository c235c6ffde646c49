"""The texts of the console's catalogues."""

import re

from support import server as servers

CATALOGUES = servers.CHECKOUT / "Sources" / "Server" / "CConsoleFiles" / "Files" / "i18n"
TEXT = re.compile(r'^\s*(?:"[\w.]+"|\w+):\s*"((?:[^"\\]|\\.)*)"', re.MULTILINE)


def all_texts(language):
    """What the console says in a language, but for texts with values in them."""
    files = (CATALOGUES / language).glob("*.js")
    return {text for file in files for text in TEXT.findall(file.read_text(encoding="utf-8"))}
