"""Makes the console's pictures of the guide: `python Tests/Clients/guide_pictures.py FOLDER`.

A reader follows the chapters first, so the pages show what the samples of the guide have made.
"""

import pathlib
import sys
import tempfile
import types

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from console_pictures import LANGUAGES, take  # noqa: E402
from support import server as servers  # noqa: E402
from support.administrators import come_in, invite  # noqa: E402
from support.browser import Browser  # noqa: E402
from support.console import Console  # noqa: E402
from support.guide_reader import CHAPTERS, Reader  # noqa: E402

PROJECT = "swiftui-firebase"
BUCKET = f"{PROJECT}.appspot.com"
# Each picture's page, and a text that shows when the page is complete.
PICTURES = {
    "apps": ("ios-swiftui-fcm", "settings", "br.com.siecola.ios-swiftui-fcm"), "methods": (PROJECT, "settings/methods", "google.com"),
    "users": (PROJECT, "users", "doralice@corp.example"), "rules": (PROJECT, "rules", "rules_version"),
    "indexes": (PROJECT, "firestore/-default-/indexes", "userId"), "events": (PROJECT, "analytics/events", "select_item"),
    "config": (PROJECT, "config", "delete_list_view"), "files": (PROJECT, "files/{bucket}?prefix={folder}", "86FAFCFE"),
}


def main(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as directory:
        reader = Reader(pathlib.Path(directory))
        browser = Browser()
        try:
            reader.start("start")
            for page in CHAPTERS:
                reader.follow(page)
            listed = servers.run("storage", "ls", "-r", f"gs://{BUCKET}/users/", "--data", reader.data).stdout
            [photo] = [line.split(f"{BUCKET}/")[1] for line in listed.split() if line.startswith("gs://") and not line.endswith("/")]
            server = types.SimpleNamespace(url=reader.server.url, data=reader.data)
            console = Console(browser, server, PROJECT)
            browser.show_as(1000, 640, "light", density=1)
            come_in(console, invite(server, "paulo@example.org"))
            for language in LANGUAGES:
                for name, (project, path, text) in PICTURES.items():
                    console.project = project
                    console.open(path.format(bucket=BUCKET, folder=photo.rsplit("/", 1)[0] + "/"), language)
                    browser.wait("return document.querySelector('main').innerText.includes(arguments[0]) || [...document.querySelectorAll('textarea')].some((one) => one.value.includes(arguments[0]))", text)
                    end = "" if language == "en" else f".{language}"
                    take(console, folder / f"guide-{name}{end}.webp", path, quality=70)
        finally:
            browser.close()
            reader.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
