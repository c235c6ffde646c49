"""The pages of docs/guide about the examples' services: their commands, in the order of the page, against the services themselves.

The other pages are run by `Tests/Clients/test_guide.py`, whose reader of pages is used here too.
"""

import importlib.util
import os

import pytest
from conftest import ROOT, write_mock

SOURCE = ROOT.parent / "Tests" / "Clients" / "support" / "guide.py"


def load():
    specification = importlib.util.spec_from_file_location("guide", SOURCE)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


guide = load()


@pytest.fixture
def follow(tmp_path):
    """Types a page's commands, whose service listens at another port than the page says."""

    def followed(page, service, port, **environment):
        folder = tmp_path / "reader"
        folder.mkdir(exist_ok=True)
        replaced = {f":{port}": f":{service.port}"}
        return guide.run(guide.ENGLISH / page, {**os.environ, **environment}, folder, replaced)

    return followed


def test_the_commands_about_the_sales_provider(run, tmp_path, follow):
    service = run("sales-service", "--sample", "--database", tmp_path / "shop.sqlite")
    follow("chapter-06.md", service, 8082)
    follow("chapter-07.md", service, 8082)


def test_the_commands_about_the_clinic(run, tmp_path, follow):
    mock = tmp_path / "mock.json"
    write_mock(mock)
    service = run("vollmed-service", "--sample", "--database", tmp_path / "clinic.sqlite", "--mock", mock)
    follow("vollmed-mvvm.md", service, 3000)
    follow("vollmed-errors.md", service, 3000, MOCK=str(mock))


def test_the_commands_about_the_time_clock(run, tmp_path, follow):
    service = run("ponto-service", "--database", tmp_path / "ponto.sqlite")
    follow("ponto.md", service, 8080)
