"""The tasks of docs/pipelines.md, in both languages, as they are printed."""

import ast
import pathlib
import re

import pytest
from google.cloud.firestore_v1 import pipeline_expressions

pytestmark = pytest.mark.brasa_only

DOCS = pathlib.Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


def blocks(page):
    return BLOCK.findall((DOCS / page).read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", ["pipelines.md", "pipelines.pt-BR.md"])
def test_every_task_gives_what_the_page_shows(client, page):
    (_, setup), *tasks = blocks(page)
    scope = {"client": client, **vars(pipeline_expressions)}
    exec(setup, scope)
    assert len(tasks) >= 2 * 22 and len(tasks) % 2 == 0
    for (language, code), (_, shown) in zip(tasks[::2], tasks[1::2]):
        assert language == "python"
        exec(code, scope)
        assert [row.data() for row in scope["result"].execute()] == ast.literal_eval(shown), code


def test_both_pages_have_the_same_tasks():
    assert blocks("pipelines.md") == blocks("pipelines.pt-BR.md")
