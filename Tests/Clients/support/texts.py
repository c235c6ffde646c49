"""The console's texts in a language, from its own catalogues."""

import functools
import json
import subprocess

from support import server as servers

CATALOGUES = servers.CHECKOUT / "Sources" / "Server" / "CConsoleFiles" / "Files" / "i18n"

# Texts with parts are made with marks for those parts.
READ = """
import { readdirSync } from "node:fs";
const folder = process.argv[1];
const all = {};
for (const file of readdirSync(folder)) Object.assign(all, (await import(`${folder}/${file}`)).default ?? {});
const text = (one) => (typeof one === "function" ? one("\\u0001", "\\u0002", "\\u0003") : one);
console.log(JSON.stringify(Object.fromEntries(Object.entries(all).map(([key, one]) => [key, text(one)]))));
"""


@functools.cache
def catalogue(language):
    """All texts of a language by their keys."""
    command = ["node", "--input-type=module", "-e", READ, str(CATALOGUES / language)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout)


class Texts:
    """What the console says in a language: `texts("document.of", "chair")`."""

    def __init__(self, language):
        self.language = language

    def __call__(self, key, *parts):
        text = catalogue(self.language)[key]
        for number, part in enumerate(parts, 1):
            text = text.replace(chr(number), part)
        return text
