"""The pages of the guide: their samples, run as a reader would run them, and what they are to print.

A page's blocks say what they are: `sh guide` is typed, as is `sh opening` of a page of docs, `sh guide server` starts the server, a word more names the example that the
commands talk to; `text guide` is a part of what the commands since the last such block print, with `…` for anything.
Nothing here needs more than Python has, as the examples' tests use it too.
"""

import dataclasses
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
ENGLISH, PORTUGUESE = ROOT / "docs" / "guide", ROOT / "docs" / "guia"
BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MARK = "--8<-- "


@dataclasses.dataclass(frozen=True)
class Sample:
    """A block: what it is, and its text."""

    words: tuple
    text: str

    @property
    def is_typed(self):
        return self.words[:2] in {("sh", "guide"), ("sh", "opening")} and "server" not in self.words

    @property
    def is_shown(self):
        return self.words == ("text", "guide")


def samples(page):
    """The blocks of a page."""
    found = BLOCK.findall(page.read_text(encoding="utf-8"))
    return [Sample(tuple(words.split()), text) for words, text in found]


def run(page, environment, folder, replaced):
    """Types a page's commands into one shell, and looks for all that the page shows; gives what was printed."""
    typed = [sample for sample in samples(page) if sample.is_typed or sample.is_shown]
    commands = "".join(f"{one.text}\n" if one.is_typed else f"printf '\\n{MARK}{number}\\n'\n" for number, one in enumerate(typed))
    for before, after in replaced.items():
        commands = commands.replace(before, after)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands], cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    said = f"{page.name}\n{commands}\n{done.stdout}{done.stderr}"
    assert done.returncode == 0, said
    printed = re.split(rf"^{MARK}(\d+)$", done.stdout, flags=re.MULTILINE)
    for index, number in enumerate(printed[1::2]):
        wanted = typed[int(number)].text
        for before, after in replaced.items():
            wanted = wanted.replace(before, after)
        assert matches(wanted, printed[2 * index]), f"{page.name} does not print {wanted}\n{said}"
    return done.stdout


def matches(wanted, printed):
    """True where the text occurs, with any blanks for blanks."""
    parts = [r"\s*".join(map(re.escape, part.split())) for part in wanted.strip().split("…")]
    return re.search(r"[\s\S]*?".join(parts), printed) is not None
