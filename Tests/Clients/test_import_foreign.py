"""Data of PocketBase and Supabase, read by `brasa import pocketbase` and `brasa import supabase`."""

import base64
import json
import sqlite3

import pytest
import requests

from support import server as servers

pytestmark = pytest.mark.brasa_only

OWNER = {"Authorization": "Bearer owner"}


def bcrypt(password):
    """A bcrypt hash of cost 4, by the C library."""
    import ctypes
    import ctypes.util
    library = ctypes.CDLL(ctypes.util.find_library("crypt"))
    library.crypt.restype = ctypes.c_char_p
    return library.crypt(password.encode(), b"$2a$04$abcdefghijklmnopqrstuu").decode()


def fields(server, project, path):
    url = f"{server.url}/v1/projects/{project}/databases/(default)/documents/{path}"
    done = requests.get(url, headers=OWNER, timeout=30)
    return done.json().get("fields", {}) if done.status_code == 200 else None


def accounts(server, project):
    done = requests.get(f"{server.url}/v1/projects/{project}/accounts:batchGet?maxResults=100", headers=OWNER, timeout=30)
    return {user["localId"]: user for user in done.json().get("users", [])}


def signs_in(server, project, email, password):
    done = requests.post(
        f"{server.url}/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key={project}", timeout=30,
        json={"email": email, "password": password, "returnSecureToken": True},
    )
    return done.status_code == 200


def field(name, kind, modern, **options):
    """A field's definition as PocketBase has it since 0.23, or before."""
    return {"name": name, "type": kind} | (options if modern else {"options": options})


def pocketbase(folder, modern=True):
    """A data folder in PocketBase's documented schema."""
    folder.mkdir()
    database = sqlite3.connect(folder / "data.db")
    definition = "fields" if modern else "schema"
    rules = "listRule TEXT, viewRule TEXT, createRule TEXT, updateRule TEXT, deleteRule TEXT"
    database.execute(
        f"CREATE TABLE _collections (id TEXT PRIMARY KEY, system BOOLEAN, type TEXT, name TEXT, {definition} JSON, "
        f"indexes JSON, {rules}, options JSON, created TEXT, updated TEXT)"
    )
    collections = [
        ("pbc_users", "auth", "users", [
            field("name", "text", modern), field("avatar", "file", modern, maxSelect=1),
            *([field("password", "password", modern), field("tokenKey", "text", modern)] if modern else []),
        ]),
        ("pbc_tags", "base", "tags", [field("label", "text", modern)]),
        ("pbc_products", "base", "products", [
            field("price", "number", modern), field("inStock", "bool", modern),
            field("owner", "relation", modern, collectionId="pbc_users", maxSelect=1),
            field("tags", "relation", modern, collectionId="pbc_tags", maxSelect=5),
            field("photos", "file", modern, maxSelect=3), field("sizes", "select", modern, maxSelect=2),
            field("extra", "json", modern), field("due", "date", modern),
        ]),
        ("pbc_view", "view", "totals", []),
    ]
    for id, kind, name, schema in collections:
        options = json.dumps({"viewQuery": "SELECT id FROM products"} if kind == "view" else {})
        database.execute(
            "INSERT INTO _collections VALUES (?, 0, ?, ?, ?, '[]', '', ?, NULL, NULL, NULL, ?, '', '')",
            (id, kind, name, json.dumps(schema), '@request.auth.id != ""', options),
        )
    password = "password" if modern else "passwordHash"
    database.execute(
        f"CREATE TABLE users (id TEXT, {password} TEXT, tokenKey TEXT, email TEXT, emailVisibility BOOLEAN, "
        "verified BOOLEAN, name TEXT, avatar TEXT, created TEXT, updated TEXT)"
    )
    created = "2023-11-14 22:13:20.500Z"
    database.execute(
        "INSERT INTO users VALUES ('ana000000000001', ?, 'key', 'ana@example.com', 0, 1, 'Ana', 'me_x1.png', ?, ?)",
        (bcrypt("secret1"), created, created),
    )
    database.execute(
        "INSERT INTO users VALUES ('bia000000000001', '', 'key', '', 0, 0, 'Bia', '', ?, ?)", (created, created),
    )
    database.execute("CREATE TABLE tags (id TEXT, label TEXT, created TEXT, updated TEXT)")
    database.execute("INSERT INTO tags VALUES ('tag1', 'New', ?, ?)", (created, created))
    database.execute(
        "CREATE TABLE products (id TEXT, price NUMERIC, inStock BOOLEAN, owner TEXT, tags JSON, photos JSON, sizes JSON, "
        "extra JSON, due TEXT, created TEXT, updated TEXT)"
    )
    extra = json.dumps({"a": [1, 2.5, None, {"b": "ç"}], "grid": [[1, 2], [3]]})
    database.execute(
        "INSERT INTO products VALUES ('chair', 12.5, 1, 'ana000000000001', '[\"tag1\"]', '[\"a_1.jpg\"]', '[\"S\",\"M\"]', ?, "
        "'2026-01-31 10:00:00.000Z', ?, ?)", (extra, created, created),
    )
    database.execute("INSERT INTO products VALUES ('table', 7, 0, '', '[]', '[]', '[]', NULL, '', ?, ?)", (created, created))
    reference = ("collectionRef", "recordRef") if modern else ("collectionId", "recordId")
    database.execute(f"CREATE TABLE _externalAuths (id TEXT, {reference[0]} TEXT, {reference[1]} TEXT, provider TEXT, providerId TEXT)")
    database.execute("INSERT INTO _externalAuths VALUES ('e1', 'pbc_users', 'bia000000000001', 'google', 'g-1')")
    database.execute(f"CREATE TABLE {'_superusers' if modern else '_admins'} (id TEXT, email TEXT)")
    database.execute(f"INSERT INTO {'_superusers' if modern else '_admins'} VALUES ('s', 'root@example.com')")
    database.commit()
    database.close()
    for place, content in [("pbc_products/chair/a_1.jpg", b"photo" * 1000), ("pbc_users/ana000000000001/me_x1.png", b"me")]:
        path = folder / "storage" / place
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
        thumbs = path.parent / f"thumbs_{path.name}"
        thumbs.mkdir()
        (thumbs / "100x100.png").write_bytes(b"thumb")
    (folder / "storage/pbc_products/chair/a_1.jpg.attrs").write_text(
        json.dumps({"user.content_type": "image/webp", "user.metadata": {"original-filename": "a.jpg"}, "md5": "x"})
    )
    return folder


@pytest.mark.parametrize("modern", [True, False])
def test_a_pocketbase_folder_is_read(server, project, tmp_path, modern):
    folder = pocketbase(tmp_path / "pb_data", modern)
    done = servers.run("import", "pocketbase", folder, "--project", project, "--data", server.data)
    for line in ["accounts: 2 read, 2 stored", "documents: 5 read, 5 stored, 2 values changed", "files: 2 read, 2 stored"]:
        assert line in done.stdout, done.stdout
    assert "products: list: everyone; view: @request.auth.id != \"\"; create: administrators only" in done.stdout
    assert "the view totals: SELECT id FROM products" in done.stdout and "1 superuser" in done.stdout
    root = f"projects/{project}/databases/(default)/documents"
    chair = fields(server, project, "products/chair")
    assert chair["price"] == {"doubleValue": 12.5} and chair["inStock"] == {"booleanValue": True}
    assert chair["owner"] == {"referenceValue": f"{root}/users/ana000000000001"}
    assert chair["tags"]["arrayValue"]["values"] == [{"referenceValue": f"{root}/tags/tag1"}]
    assert chair["photos"]["arrayValue"]["values"] == [{"stringValue": "products/chair/a_1.jpg"}]
    assert [value["stringValue"] for value in chair["sizes"]["arrayValue"]["values"]] == ["S", "M"]
    assert chair["due"] == {"timestampValue": "2026-01-31T10:00:00Z"}
    grid = chair["extra"]["mapValue"]["fields"]["grid"]["arrayValue"]["values"]
    assert grid[1] == {"mapValue": {"fields": {"values": {"arrayValue": {"values": [{"integerValue": "3"}]}}}}}
    table = fields(server, project, "products/table")
    assert table["price"] == {"integerValue": "7"} and table["owner"] == table["due"] == {"nullValue": None}
    ana = fields(server, project, "users/ana000000000001")
    assert set(ana) == {"email", "emailVisibility", "verified", "name", "avatar", "created", "updated"}
    users = accounts(server, project)
    assert users["ana000000000001"]["emailVerified"] and users["ana000000000001"]["createdAt"] == "1700000000500"
    assert users["bia000000000001"]["providerUserInfo"][0]["providerId"] == "google.com"
    assert signs_in(server, project, "ana@example.com", "secret1") and not signs_in(server, project, "ana@example.com", "x" * 8)
    name = requests.utils.quote("products/chair/a_1.jpg", safe="")
    object = f"{server.url}/storage/v1/b/{project}.appspot.com/o/{name}"
    metadata = requests.get(object, headers=OWNER, timeout=30).json()
    assert metadata["contentType"] == "image/webp" and metadata["metadata"] == {"original-filename": "a.jpg"}
    assert requests.get(f"{object}?alt=media", headers=OWNER, timeout=30).content == b"photo" * 1000
    # Again: the same.
    servers.run("import", "pocketbase", folder, "--project", project, "--data", server.data)
    assert fields(server, project, "products/chair") == chair
    assert requests.get(object, headers=OWNER, timeout=30).json()["generation"] == metadata["generation"]


def test_what_firestore_cannot_have_of_pocketbase_is_dropped_by_name(server, project, tmp_path):
    folder = pocketbase(tmp_path / "pb_data")
    database = sqlite3.connect(folder / "data.db")
    database.execute("INSERT INTO tags VALUES ('__x__', 'reserved', '', '')")
    database.execute("INSERT INTO tags VALUES ('a/b', 'slash', '', '')")
    database.execute("INSERT INTO tags VALUES ('big', ?, '', '')", ("x" * (1 << 21),))
    database.execute("UPDATE products SET photos = '[\"../../../data.db\",\"gone.jpg\",\"link.jpg\"]' WHERE id = 'chair'")
    database.execute("INSERT INTO users VALUES ('cai', 'no hash', '', 'ana@example.com', 0, 0, '', '', '', '')")
    database.execute("INSERT INTO _externalAuths VALUES ('e2', 'pbc_users', 'ana000000000001', 'discord', 'd')")
    database.commit()
    database.close()
    (folder / "storage/pbc_products/chair/link.jpg").symlink_to("/etc/passwd")
    done = servers.run("import", "pocketbase", folder, "--project", project, "--data", server.data, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    for text in [
        "__x__", "not a valid document ID", "property \"label\" is longer", "gone.jpg: the file is not in", "is a link", "cai: ",
        "discord is not linked", "accounts: 3 read, 2 stored, 1 value changed, 1 dropped",
        "documents: 9 read, 6 stored, 2 values changed, 3 dropped", "files: 4 read, 1 stored, 3 dropped",
    ]:
        assert text in done.stdout, f"{text}\n{done.stdout}"
    assert "root:" not in done.stdout


@pytest.mark.parametrize(
    "content, reason",
    [(b"no database" * 100, "can't be"), (b"", "is not a PocketBase database"), (None, "There is no data.db")],
)
def test_a_folder_that_is_not_pocketbases_is_refused(server, project, tmp_path, content, reason):
    if content is not None:
        (tmp_path / "data.db").write_bytes(content)
    done = servers.run("import", "pocketbase", tmp_path, "--project", project, "--data", server.data, check=False)
    assert done.returncode == 1 and reason in done.stderr, done.stderr


def test_views_that_run_for_ever_are_not_read(server, project, tmp_path):
    folder = pocketbase(tmp_path / "pb_data")
    database = sqlite3.connect(folder / "data.db")
    database.execute("DROP TABLE tags")
    database.execute("CREATE VIEW tags AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT * FROM n")
    database.commit()
    database.close()
    done = servers.run("import", "pocketbase", folder, "--project", project, "--data", server.data, check=False)
    assert done.returncode == 1 and "tags has no table" in done.stderr


USERS = (
    "id, email, encrypted_password, email_confirmed_at, phone, raw_user_meta_data, raw_app_meta_data, created_at, "
    "last_sign_in_at, banned_until, deleted_at"
)


def dump():
    """What `pg_dump` writes of a small project."""
    ana = [
        "11111111-1111-1111-1111-111111111111", "ana@example.com", bcrypt("secret1"), "2024-01-01 00:00:00+00", "\\N",
        json.dumps({"full_name": "Ana \"A\"", "avatar_url": "https://x.example/a.png", "team": 7}).replace("\\", "\\\\"),
        json.dumps({"provider": "email", "providers": ["email"], "role": "admin"}), "2023-11-14 22:13:20.5+00", "\\N", "\\N", "\\N",
    ]
    bia = ["22222222-2222-2222-2222-222222222222", "bia@example.com", "", "\\N", "5511999990000", "\\N", "{}", "2023-11-14 22:13:20+00", "\\N",
           "2999-01-01 00:00:00+00", "\\N"]
    gone = ["33333333-3333-3333-3333-333333333333", "gone@example.com", *["\\N"] * 8, "2024-01-01 00:00:00+00"]
    rows = "\n".join("\t".join(row) for row in (ana, bia, gone))
    identity = json.dumps({"sub": "g-1", "email": "bia@example.com", "name": "Bia"})
    return f"""--
-- PostgreSQL database dump
--

\\restrict x
SET statement_timeout = 0;
SELECT pg_catalog.set_config('search_path', '', false);
CREATE SCHEMA auth;
CREATE FUNCTION public.f() RETURNS trigger LANGUAGE plpgsql AS $$ begin return new; end; $$;
CREATE TABLE auth.identities (provider_id text, user_id uuid, identity_data jsonb, provider text);
CREATE TABLE auth.users ({USERS.replace(",", " text,")} text);
CREATE TABLE public.products (
    id bigint NOT NULL,
    name text DEFAULT 'a;b'::text,
    price numeric(10,2),
    tags text[],
    extra jsonb,
    active boolean DEFAULT true NOT NULL,
    made timestamp with time zone DEFAULT now(),
    raw bytea,
    owner uuid
);
CREATE TABLE public.lines (product bigint, number integer, note character varying(20));
CREATE TABLE crm.leads (id integer);
COPY auth.identities (provider_id, user_id, identity_data, provider) FROM stdin;
g-1\t22222222-2222-2222-2222-222222222222\t{identity}\tgoogle
bia@example.com\t22222222-2222-2222-2222-222222222222\t{{}}\temail
\\.

COPY auth.users ({USERS}) FROM stdin;
{rows}
\\.

COPY crm.leads (id) FROM stdin;
1
\\.

COPY public.lines (product, number, note) FROM stdin;
7\t1\tfirst\\tline
7\t2\t\\N
\\.

COPY public.products (id, name, price, tags, extra, active, made, raw, owner) FROM stdin;
7\tCadeira; "azul"\t12.50\t{{new,"a,b"}}\t{{"a": [[1], 2]}}\tt\t2026-01-31 10:00:00.123456+00\t\\\\x00ff\t11111111-1111-1111-1111-111111111111
8\t\\N\t\\N\t{{}}\t\\N\tf\t\\N\t\\N\t\\N
\\.

ALTER TABLE ONLY auth.users ADD CONSTRAINT users_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.lines ADD CONSTRAINT lines_pkey PRIMARY KEY (product, number);
ALTER TABLE ONLY public.products ADD CONSTRAINT products_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.lines ADD CONSTRAINT lines_f FOREIGN KEY (product) REFERENCES public.products(id);
ALTER TABLE ONLY public.products ADD CONSTRAINT products_f FOREIGN KEY (owner) REFERENCES auth.users(id);
\\unrestrict x
"""


def test_a_supabase_dump_is_read(server, project, tmp_path):
    file = tmp_path / "dump.sql"
    file.write_text(dump())
    done = servers.run("import", "supabase", file, "--project", project, "--data", server.data, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    for text in ["accounts: 2 read, 2 stored", "documents: 4 read, 4 stored, 1 value changed", "crm.leads: rows of this schema", "1 dropped"]:
        assert text in done.stdout, done.stdout
    root = f"projects/{project}/databases/(default)/documents"
    chair = fields(server, project, "products/7")
    assert chair == {
        "id": {"integerValue": "7"}, "name": {"stringValue": 'Cadeira; "azul"'}, "price": {"doubleValue": 12.5},
        "tags": {"arrayValue": {"values": [{"stringValue": "new"}, {"stringValue": "a,b"}]}},
        "extra": chair["extra"], "active": {"booleanValue": True}, "made": {"timestampValue": "2026-01-31T10:00:00.123456Z"},
        "raw": {"bytesValue": base64.b64encode(b"\0\xff").decode()},
        "owner": {"stringValue": "11111111-1111-1111-1111-111111111111"},
    }
    line = fields(server, project, "lines/7:1")
    assert line["product"] == {"referenceValue": f"{root}/products/7"} and line["note"] == {"stringValue": "first\tline"}
    users = accounts(server, project)
    ana, bia = (users[digit * 8 + "-" + "-".join([digit * 4] * 3) + "-" + digit * 12] for digit in "12")
    assert len(users) == 2 and ana["displayName"] == 'Ana "A"' and ana["photoUrl"] == "https://x.example/a.png"
    assert ana["emailVerified"] and json.loads(ana["customAttributes"]) == {"role": "admin"} and ana["createdAt"] == "1700000000500"
    assert bia["disabled"] and bia["phoneNumber"] == "+5511999990000" and not bia["emailVerified"]
    assert bia["providerUserInfo"][0]["rawId"] == "g-1"
    assert signs_in(server, project, "ana@example.com", "secret1")
    # With the other schema nothing is dropped.
    servers.run("import", "supabase", file, "--schema", "public", "--schema", "crm", "--project", project, "--data", server.data)
    assert fields(server, project, "leads/row-000000001") == {"id": {"integerValue": "1"}}


def test_supabase_comes_as_csv_and_json_too(server, project, tmp_path):
    (tmp_path / "products.csv").write_text('id,name,price\n7,"Chair, ""blue""\nbig",12.5\n')
    (tmp_path / "auth.users.csv").write_text(f"id,email,encrypted_password,email_confirmed_at\nu1,ana@example.com,{bcrypt('secret1')},\n")
    (tmp_path / "users.json").write_text(json.dumps({"users": [
        {"id": "u2", "email": "bia@example.com", "user_metadata": {"name": "Bia"}, "app_metadata": {"provider": "github"},
         "identities": [{"provider": "github", "id": "77", "identity_data": {"sub": "77"}}], "created_at": "2023-11-14T22:13:20Z"},
    ]}))
    done = servers.run("import", "supabase", tmp_path, "--project", project, "--data", server.data)
    assert "accounts: 2 read, 2 stored" in done.stdout and "documents: 1 read, 1 stored" in done.stdout
    assert fields(server, project, "products/7")["name"] == {"stringValue": 'Chair, "blue"\nbig'}
    assert accounts(server, project)["u2"]["providerUserInfo"][0]["providerId"] == "github.com"
    assert signs_in(server, project, "ana@example.com", "secret1")


def test_an_email_is_one_accounts(server, project, tmp_path):
    (tmp_path / "auth.users.csv").write_text("id,email\nu1,ana@example.com\nu2,Ana@example.com\nu3,bia@example.com\n")
    done = servers.run("import", "supabase", tmp_path, "--project", project, "--data", server.data, check=False)
    assert done.returncode == 1 and "u2: another account has Ana@example.com" in done.stdout
    assert set(accounts(server, project)) == {"u1", "u3"}


@pytest.mark.parametrize(
    "name, content, reason",
    [("a.sql", b"PGDMP\1\2", "pg_restore"), ("a.sql", dump().encode()[:-1000], "incomplete"), ("a.sql", b"CREATE TABLE t (", "incomplete"),
     ("a.csv", b'id\n"open', "incomplete"), ("users.json", b"{}", "no list of users"), ("a.txt", b"", "no .sql"),
     ("a.csv", b"id,b\n1\n", "columns")],
)
def test_a_dump_that_is_damaged_is_refused(server, project, tmp_path, name, content, reason):
    (tmp_path / name).write_bytes(content)
    done = servers.run("import", "supabase", tmp_path, "--project", project, "--data", server.data, check=False)
    assert done.returncode == 1 and reason in done.stderr + done.stdout, done.stdout + done.stderr
