"""Sites: deployed as the Firebase CLI does and by our command, and served by their hosts."""

import ctypes
import gzip
import hashlib
import http.client
import json
import re

import pytest
import requests

from support import server as servers
from support.sites import FILES, Site

pytestmark = pytest.mark.brasa_only


@pytest.fixture
def site(server, project):
    return Site(server, project[:40].rstrip("-"))


def test_a_site_is_deployed_and_only_what_changed_is_uploaded(site):
    release = site.deploy()
    assert release["type"] == "DEPLOY" and release["version"]["fileCount"] == str(len(FILES))
    assert len(site.uploaded) == len(FILES)
    home = site.get("/")
    assert (home.status_code, home.content) == (200, FILES["/index.html"])
    assert home.headers["content-type"] == "text/html; charset=utf-8"
    site.deploy(FILES | {"/about.html": b"other"})
    assert len(site.uploaded) == 1
    assert site.get("/about.html").content == b"other"
    assert site.get("/nothing").content == b"not here"


def test_what_http_asks_of_a_file(site):
    site.deploy()
    content = FILES["/app.js"]
    whole = site.get("/app.js")
    tag = whole.headers["etag"]
    assert site.get("/app.js", **{"If-None-Match": tag}).status_code == 304
    part = site.get("/app.js", Range="bytes=3-7")
    assert (part.status_code, part.content) == (206, content[3:8])
    assert part.headers["content-range"] == f"bytes 3-7/{len(content)}"
    assert site.get("/app.js", Range="bytes=-4").content == content[-4:]
    assert site.get("/app.js", Range=f"bytes={len(content)}-").status_code == 416
    packed = site.get("/app.js", **{"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip" and packed.content == content
    assert packed.headers["etag"] != tag and "Accept-Encoding" in packed.headers["vary"]
    head = site.get("/app.js", method="HEAD")
    assert head.status_code == 200 and head.content == b"" and head.headers["content-length"] == str(len(content))
    assert site.get("/app.js", method="POST").status_code == 405
    assert site.get("/sp%20ace.txt").content == b"space"


def unpacked(packed, size):
    """What Brotli's own library makes of a body."""
    library = ctypes.CDLL("libbrotlidec.so.1")
    room, count = ctypes.create_string_buffer(size + 1), ctypes.c_size_t(size + 1)
    assert library.BrotliDecoderDecompress(ctypes.c_size_t(len(packed)), packed, ctypes.byref(count), room) == 1
    return room.raw[:count.value]


def raw(site, path, encodings, method="GET", **headers):
    """A response with its body as it is on the wire."""
    connection = http.client.HTTPConnection("127.0.0.1", site.server.port, timeout=30)
    connection.request(method, path, headers={"Host": site.host, "Accept-Encoding": encodings, **headers})
    found = connection.getresponse()
    return found, found.read()


def test_brotli_where_the_visitor_takes_it(site):
    text = b"let item = 1; // an item of the page\n" * 400
    site.deploy({"/app.js": text, "/photo.png": text, "/large.js": text * 100})
    for accepted in ("gzip, deflate, br, zstd", "br", "br;q=1.0, gzip;q=0.5"):
        found, body = raw(site, "/app.js", accepted)
        assert found.headers["content-encoding"] == "br" and unpacked(body, len(text)) == text, accepted
        assert found.headers["content-length"] == str(len(body)) and found.headers["vary"] == "Accept-Encoding"
        assert found.headers["content-type"] == "text/javascript; charset=utf-8"
    tag = found.headers["etag"]
    assert len(body) < len(raw(site, "/app.js", "gzip")[1])
    assert raw(site, "/app.js", "br", **{"If-None-Match": tag})[0].status == 304
    head, nothing = raw(site, "/app.js", "br", method="HEAD")
    assert head.headers["content-encoding"] == "br" and head.headers["content-length"] == str(len(body)) and nothing == b""
    # Ranges are of the content itself; a file that is no text, or is large, comes as gzip.
    part, body = raw(site, "/app.js", "br", Range="bytes=4-7")
    assert (part.status, body, part.headers["content-encoding"]) == (206, text[4:8], None)
    for path in ("/photo.png", "/large.js"):
        assert raw(site, path, "gzip, br")[0].headers["content-encoding"] == "gzip"
    for accepted in ("gzip", "br;q=0, gzip", "*"):
        assert raw(site, "/app.js", accepted)[0].headers["content-encoding"] == "gzip"
    assert raw(site, "/app.js", "identity")[0].headers["content-encoding"] is None


RULES = {
    "redirects": [
        {"glob": "/old/:name*", "statusCode": 302, "location": "/new/:name"},
        {"regex": "^/post/(?P<day>[0-9]+)-(.+)$", "location": "/news/:2?day=:day"},
        {"glob": "/gone", "statusCode": 301, "location": "https://example.com/x"},
    ],
    "rewrites": [{"glob": "/app/**", "path": "/index.html"}, {"regex": "^/item/[0-9]+$", "path": "/about.html"},
                 {"glob": "/fn/**", "function": "hello"}],
    "headers": [{"glob": "**/*.@(js|css)", "headers": {"Cache-Control": "max-age=9", "X-A": "b"}}],
    "cleanUrls": True, "trailingSlashBehavior": "REMOVE", "i18n": {"root": "/i18n"},
}


@pytest.mark.parametrize(
    "path, status, answer",
    [("/old/a/b", 302, "/new/a/b"), ("/post/7-a%20b/c", 301, "/news/a%20b/c?day=7"), ("/gone", 301, "https://example.com/x"), ("/gone?q=1", 301, "https://example.com/x?q=1"),
     ("/about.html", 301, "/about"), ("/about", 200, b"about"), ("/about/", 301, "/about"), ("/docs", 200, b"docs"),
     ("/docs/", 301, "/docs"), ("/app/x/y", 200, FILES["/index.html"]), ("/item/7", 200, b"about"),
     ("/item/x", 404, b"not here"), ("/nothing", 404, b"not here"), ("/fn/x", 404, None)],
)
def test_rules(server, path, status, answer):
    site = Site(server, "rules-of-a-site")
    if not getattr(server, "has_rules_site", False):
        site.deploy(config=RULES)
        server.has_rules_site = True
    found = site.get(path)
    assert found.status_code == status
    if isinstance(answer, str):
        assert found.headers["location"] == answer
    elif answer is not None:
        assert found.content == answer


def test_headers_and_languages(site):
    site.deploy(config=RULES)
    found = site.get("/app.js")
    assert (found.headers["cache-control"], found.headers["x-a"]) == ("max-age=9", "b")
    assert site.get("/", **{"Accept-Language": "pt-BR,en;q=0.5"}).content == b"inicio"
    assert site.get("/", **{"Accept-Language": "en"}).content == FILES["/index.html"]
    assert site.get("/", Cookie="firebase-language-override=pt").content == b"inicio"
    assert site.get("/", Cookie="firebase-language-override=../../x").content == FILES["/index.html"]


def test_a_rollback_and_a_preview(site):
    first = site.deploy({"/index.html": b"one"})
    site.deploy({"/index.html": b"two"})
    assert site.get("/").content == b"two"
    site.send("POST", f"{site.root}/releases?versionName={first['version']['name']}", {"type": "ROLLBACK"})
    assert site.get("/").content == b"one"
    kinds = [one["type"] for one in site.send("GET", f"{site.root}/channels/live/releases")["releases"]]
    assert kinds == ["ROLLBACK", "DEPLOY", "DEPLOY"]
    channel = site.send("POST", f"{site.root}/channels?channelId=next", {"ttl": "3600s"})
    preview = channel["url"].split("//")[1]
    assert re.fullmatch(rf"{site.name}--next-[a-z0-9]{{8}}\.localhost:{site.server.port}", preview)
    site.deploy({"/index.html": b"three"}, channel="next")
    assert site.get("/", host=preview).content == b"three" and site.get("/").content == b"one"
    assert site.get("/", host=preview).headers["x-robots-tag"] == "noindex" and "x-robots-tag" not in site.get("/").headers
    site.send("DELETE", f"{site.root}/channels/next")
    assert site.get("/", host=preview).status_code == 421
    site.send("POST", f"{site.root}/channels/live/releases", {"type": "SITE_DISABLE"})
    assert site.get("/").status_code == 404


def test_a_site_is_an_origin_of_its_own(site):
    site.deploy()
    for path in ["/v1/projects/p/databases", "/__/console", "/console", "/storage/v1/b", "/emulator/v1/projects/p/accounts",
                 "/.settings", "/v1beta1/projects"]:
        assert site.get(path, Authorization="Bearer owner").content == b"not here" or path.startswith("/__/"), path
    assert site.get("/__/auth/handler").headers["content-type"].startswith("text/html")
    configuration = site.get("/__/firebase/init.json").json()
    assert configuration["projectId"] == site.project
    script = site.get("/__/firebase/init.js")
    assert "firebase.initializeApp(" in script.text
    assert site.get("/", host=f"unknown-site.localhost:{site.server.port}").status_code == 421
    # The server's own names go on being the server's.
    assert requests.get(f"{site.server.url}/v1/projects/p/databases", headers=site.headers, timeout=30).status_code == 200


@pytest.mark.parametrize("path", ["/../index.html", "/a/../index.html", "/%2e%2e/index.html", "/a/%2e%2e/index.html",
                                  "//index.html", "/a%2findex.html", "/index.html%00", "/..%5cindex.html", "/%ff"])
def test_paths_that_lead_elsewhere_lead_nowhere(server, path):
    site = Site(server, "paths-of-a-site")
    if not getattr(server, "has_paths_site", False):
        site.deploy()
        server.has_paths_site = True
    assert site.get(path).status_code in (400, 404)


@pytest.mark.parametrize("path", ["/../x", "/a/../../x", "x", "/a//b", "/__/auth/handler", "/a\\b", "/a\nb", "/", "/" + "a" * 1100])
def test_files_of_such_paths_are_refused(site, path):
    version = site.send("POST", f"{site.root}/versions", {})["name"]
    site.send("POST", f"/v1beta1/{version}:populateFiles", {"files": {path: "0" * 64}}, 400)


def test_content_has_to_be_what_it_says(site):
    version = site.send("POST", f"{site.root}/versions", {})["name"]
    packed = gzip.compress(b"x")
    digest = hashlib.sha256(packed).hexdigest()
    url = site.send("POST", f"/v1beta1/{version}:populateFiles", {"files": {"/a": digest}})["uploadUrl"]
    def upload(name, data):
        return requests.post(f"{url}/{name}", data=data, headers=site.headers, timeout=30).status_code
    assert upload(digest, b"plain") == 400
    assert upload(digest, packed[:-4]) == 400
    assert upload(digest, gzip.compress(b"other")) == 400
    assert upload("1" * 64, packed) == 400
    patch = f"/v1beta1/{version}?updateMask=status"
    site.send("PATCH", patch, {"status": "FINALIZED"}, 400)
    assert upload(digest, packed) == 200
    site.send("PATCH", patch, {"status": "FINALIZED"})
    site.send("PATCH", patch, {"status": "FINALIZED"}, 400)


@pytest.mark.parametrize(
    "config",
    [{"redirects": [{"glob": "@(" * 20 + "a", "location": "/x"}]}, {"redirects": [{"glob": "[a", "location": "/x"}]},
     {"redirects": [{"glob": "/a", "location": "/x\r\nSet-Cookie: a=b"}]}, {"redirects": [{"regex": "(", "location": "/x"}]},
     {"headers": [{"glob": "**", "headers": {"x": "a\r\nb: c"}}]}, {"headers": [{"glob": "**", "headers": {"content-length": "1"}}]},
     {"redirects": [{"glob": f"/*{n}", "location": "/x"} for n in range(2001)]},
     {"redirects": [{"glob": f"/{n}", "location": "/x"} for n in range(20001)]}],
)
def test_rules_that_cannot_be_meant_are_refused(site, config):
    site.send("POST", f"{site.root}/versions", {"config": config}, 400)


def test_twenty_thousand_redirects_and_hostile_globs_cost_little(site, server):
    redirects = [{"glob": f"/{n}", "location": f"/to/{n}"} for n in range(19_990)]
    redirects += [{"glob": "/" + "*a" * 30 + "b", "location": "/never"}, {"glob": "/+(a|aa|aaa)+(a|aa)b", "location": "/never"}]
    site.deploy(config={"redirects": redirects})
    assert site.get("/19000").headers["location"] == "/to/19000"
    # No rule is left out because it takes long: the page is an error, and the log names the site.
    refused = site.get("/" + "a" * 900)
    assert refused.status_code == 500 and "too much work" in refused.text
    server.wait_for_output(f"site={site.name}")
    assert site.get("/index.html").status_code == 200


@pytest.mark.parametrize("kind, path", [("headers", "/index.html"), ("rewrites", "/missing"), ("redirects", "/index.html")])
def test_expensive_rules_share_their_work_and_end_in_an_error(site, kind, path):
    # Each takes some 400,000 steps, and all of them more than a request has.
    expensive = {"glob": "/*a*b/*", "location": "/x", "path": "/index.html", "headers": {"x-frame-options": "DENY"}}
    site.deploy(config={kind: [expensive] * 20})
    refused = site.get("/" + "a" * 900 + path)
    assert refused.status_code == 500 and "x-frame-options" not in refused.headers
    # A short path is cheap.
    assert site.get("/index.html").status_code == 200


def test_no_project_takes_the_site_of_another(server, project):
    other = Site(server, project[:30].rstrip("-"))
    other.deploy({"/index.html": b"other"})
    mine = Site(server, "mine-" + project[-12:].strip("-"))
    mine.send("POST", f"/v1beta1/projects/{mine.project}/sites?siteId={other.name}", {}, 409)
    requests.post(f"{server.url}/v1/projects/{other.name}-x/databases/(default)/documents/a", json={"fields": {}},
                  headers=mine.headers, timeout=30)
    mine.send("POST", f"/v1beta1/projects/{mine.project}/sites?siteId={other.name}-x", {}, 403)
    mine.send("POST", f"/v1beta1/projects/{mine.project}/sites?siteId={mine.name}-docs", {})
    names = [one["name"].split("/")[-1] for one in mine.send("GET", f"/v1beta1/projects/{mine.project}/sites")["sites"]]
    assert names == [mine.name, f"{mine.name}-docs"]
    # The site of another project is not at a path of this one.
    mine.send("GET", f"/v1beta1/projects/{mine.project}/sites/{other.name}", status=404)


def test_our_command_deploys_and_rolls_back(server, project, tmp_path):
    name = project[:40].rstrip("-")
    public = tmp_path / "public"
    (public / "a").mkdir(parents=True)
    (public / "index.html").write_text("one")
    (public / "a" / "b.txt").write_text("b")
    (public / ".secret").write_text("no")
    (public / "link").symlink_to("/etc/passwd")
    (tmp_path / "firebase.json").write_text(json.dumps({"hosting": {
        "public": "public", "ignore": ["**/.*"], "strange": 1, "rewrites": [{"source": "**", "destination": "/index.html"}]}}))
    arguments = ["--project", name, "--data", server.data]
    config = ["--config", tmp_path / "firebase.json"]
    done = servers.run("hosting", "deploy", *config, *arguments)
    assert "passed over" in done.stderr and "strange" in done.stderr and "symbolic link" in done.stderr
    site = Site(server, name)
    assert site.get("/anything").content == b"one" and site.get("/a/b.txt").content == b"b"
    assert site.get("/.secret").content == b"one" and site.get("/link").content == b"one"
    (public / "index.html").write_text("two")
    done = servers.run("hosting", "deploy", *config, *arguments)
    assert "uploaded 1 file" in done.stderr
    assert site.get("/").content == b"two"
    servers.run("hosting", "rollback", *arguments)
    assert site.get("/").content == b"one"
    assert len(servers.run("hosting", "releases", *arguments).stdout.splitlines()) == 3
    host = servers.run("hosting", "channels", "open", "next", *arguments).stdout.split()[0]
    servers.run("hosting", "deploy", "--channel", "next", *config, *arguments)
    assert site.get("/", host=f"{host}:{server.port}").content == b"two"
    other = servers.run("hosting", "releases", "--project", "thief", "--site", name, "--data", server.data, check=False)
    assert other.returncode == 1 and "does not belong to the project" in other.stderr


def test_our_command_deploys_files_of_any_hash(server, project, tmp_path):
    name = project[:40].rstrip("-")
    (tmp_path / "public").mkdir()
    # Some of so many hashes have a zero byte.
    for number in range(40):
        (tmp_path / "public" / f"{number}.txt").write_text(f"{number}")
    (tmp_path / "firebase.json").write_text(json.dumps({"hosting": {"public": "public"}}))
    servers.run("hosting", "deploy", "--config", tmp_path / "firebase.json", "--project", name, "--data", server.data)
    site = Site(server, name)
    assert [site.get(f"/{number}.txt").text for number in range(40)] == [str(number) for number in range(40)]


def test_our_command_deploys_more_files_than_a_sockets_buffers_hold(server, project, tmp_path):
    """The server names what it lacks while the command still names its files: neither may wait for the other."""
    folder = tmp_path / "public"
    folder.mkdir()
    for number in range(5_000):
        (folder / f"{number}.txt").write_text(f"file {number}")
    (tmp_path / "firebase.json").write_text('{"hosting": {"public": "public"}}')
    servers.run(
        "hosting", "deploy", "--config", tmp_path / "firebase.json", "--project", project, "--data", server.data,
        timeout=300,
    )
    assert Site(server, project).get("/4999.txt").text == "file 4999"


@pytest.fixture(scope="module")
def in_production(tmp_path_factory, certificates):
    """A production server of the origin `https://brasa.test` with sites below `sites.test`, and certificates by name."""
    folder = tmp_path_factory.mktemp("names")
    running = servers.Brasa.production(
        tmp_path_factory.mktemp("hosting") / "data", certificates,
        "--origin", "https://brasa.test", "--sites-domain", "sites.test", "--project", "shop",
        "--tls-directory", folder / "certificates", "--acme-directory", folder / "challenges",
    )
    (folder / "certificates").mkdir()
    (folder / "challenges").mkdir()
    running.folder = folder
    running.start()
    yield running
    running.kill()


def ask(server, path, host, **options):
    headers = {"Host": host} | options.pop("headers", {})
    return requests.get(f"{server.url}{path}", headers=headers, verify=server.authority, timeout=30, **options)


def test_in_production_a_site_needs_rights_and_has_its_host_alone(in_production, tmp_path):
    server = in_production
    (tmp_path / "public").mkdir()
    (tmp_path / "public" / "index.html").write_text("shop")
    (tmp_path / "firebase.json").write_text(json.dumps({"hosting": {"public": "public"}}))
    assert ask(server, "/healthz", "elsewhere.test").status_code == 200
    arguments = ["--project", "shop", "--data", server.data]
    servers.run("hosting", "deploy", "--config", tmp_path / "firebase.json", *arguments)
    assert ask(server, "/", "shop.sites.test").text == "shop"
    assert ask(server, "/", "elsewhere.test").status_code == 421
    assert ask(server, "/", "other.sites.test").status_code == 421
    assert ask(server, "/healthz", "elsewhere.test").status_code == 200
    # Neither rights nor cookies are of use at a site's host.
    key = {"Authorization": f"Bearer {server.administrator_key}"}
    assert ask(server, "/v1/projects/shop/databases", "shop.sites.test", headers=key).status_code == 404
    assert ask(server, "/v1/projects/shop/databases", "brasa.test", headers=key).status_code == 200
    for method, path in [
        ("GET", "/v1beta1/projects/shop/sites"), ("POST", "/v1beta1/sites/shop/versions"), ("DELETE", "/v1beta1/sites/shop"),
        ("POST", "/v1beta1/projects/-/sites/shop/releases?versionName=sites/shop/versions/x"),
        ("POST", "/v1beta1/sites/shop/customDomains?customDomainId=a.test"), ("POST", f"/upload/sites/shop/versions/x/files/{'0' * 64}"),
        ("GET", "/v1beta1/projects/-/sites/nobodys/versions"),
    ]:
        for headers, status in [({}, 403), ({"Authorization": "Bearer forged"}, 401)]:
            made = requests.request(
                method, server.url + path, headers=headers | {"Host": "brasa.test"}, verify=server.authority, timeout=30
            )
            assert made.status_code == status, (method, path, made.text)


def test_domains_are_one_sites_and_never_the_consoles(in_production):
    arguments = ["--project", "shop", "--data", in_production.data]
    servers.run("hosting", "domains", "add", "www.shop.test", *arguments)
    for host in ["brasa.test", "x.brasa.test", "a.sites.test", "localhost", "127.0.0.1", "shop", "a..b", "x.googleapis.com"]:
        refused = servers.run("hosting", "domains", "add", host, *arguments, check=False)
        assert refused.returncode == 1, host
    taken = servers.run(
        "hosting", "domains", "add", "www.shop.test", "--project", "thief", "--data", in_production.data, check=False
    )
    assert taken.returncode == 1 and "belongs to another site" in taken.stderr
    data = in_production.data.parent / "never"
    refused = servers.run(
        "serve", "--data", data, "--origin", "https://brasa.test", "--sites-domain", "sites.brasa.test", check=False
    )
    assert refused.returncode != 0 and "cookies" in refused.stderr and not data.exists()


def test_challenges_are_files_of_one_folder(in_production):
    server = in_production
    (server.folder / "challenges" / "token_1-a").write_text("token_1-a.key")
    (server.folder / "secret").write_text("secret")
    (server.folder / "challenges" / "link").symlink_to(server.folder / "secret")
    root = "/.well-known/acme-challenge/"
    for host in ["shop.sites.test", "brasa.test", "new.test"]:
        assert ask(server, root + "token_1-a", host).text == "token_1-a.key"
    for path in ["link", "..%2fsecret", "none", ".", "a/b"]:
        assert ask(server, root + path, "brasa.test").status_code in (403, 404, 421), path


def presented(server, name):
    """The certificate that a client gets who names a host."""
    import socket
    import ssl

    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as raw:
        with context.wrap_socket(raw, server_hostname=name) as made:
            return made.getpeercert(binary_form=True)


def test_certificates_are_chosen_by_name_and_read_when_they_change(in_production, tmp_path):
    server, folder = in_production, in_production.folder / "certificates"
    own = presented(server, "brasa.test")
    assert presented(server, "www.shop.test") == own

    def make(host, name):
        servers.run("certs", "--directory", tmp_path / name, "--host", host)
        (folder / f"{host}-key.pem").write_text((tmp_path / name / "server-key.pem").read_text())
        (folder / f"{host}.pem").write_text((tmp_path / name / "server.pem").read_text())

    make("www.shop.test", "first")
    first = servers.wait_for(lambda: presented(server, "www.shop.test") != own and presented(server, "WWW.shop.test"), "it")
    make("www.shop.test", "second")
    servers.wait_for(lambda: presented(server, "www.shop.test") not in (own, first), "the changed one")
    second = presented(server, "www.shop.test")
    # A file that cannot be used leaves what was there.
    (folder / "www.shop.test.pem").write_text("damaged")
    server.wait_for_output("a certificate could not be loaded; any earlier one stays in use")
    assert presented(server, "www.shop.test") == second and presented(server, "brasa.test") == own
