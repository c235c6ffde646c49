import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { justBefore } from "../../Sources/Server/CConsoleFiles/Files/data/instants.js";
import { merge } from "../../Sources/Server/CConsoleFiles/Files/data/merge.js";
import { readIndex } from "../../Sources/Server/CConsoleFiles/Files/indexes/link.js";
import { format, parse } from "../../Sources/Server/CConsoleFiles/Files/base/router.js";
import { effect, onCleanup, scope, signal } from "../../Sources/Server/CConsoleFiles/Files/base/signal.js";
import { TargetState } from "../../Sources/Server/CConsoleFiles/Files/base/target.js";
import { form, Frames } from "../../Sources/Server/CConsoleFiles/Files/base/webchannel.js";

const FILES = new URL("../../Sources/Server/CConsoleFiles/Files/", import.meta.url);

test("addresses and places are each other's", () => {
  const places = [
    { project: "p", area: "overview", rest: [], query: {} },
    { project: "p", area: "firestore", rest: ["(default)", "data", "a b", "ü/%", "x"], query: { q: 'a == "b&c"' } },
    { project: "p", area: "users", rest: ["uid/1"], query: {} },
  ];
  for (const place of places) {
    const [pathname, search = ""] = format(place).split("?");
    assert.deepEqual(parse(pathname, search), place);
  }
  assert.equal(format(places[1]).split("?")[0], "/console/p/firestore/-default-/data/a%20b/%C3%BC%2F%25/x");
  assert.equal(parse("/console/p/users/%E0%A4%A", "").rest[0], "%E0%A4%A");
});

test("Firebase's addresses lead to the same places", () => {
  const cases = [
    ["/project/shop/firestore/databases/-default-/data/~2Fusers~2Fada", "/console/shop/firestore/-default-/data/users/ada"],
    ["/project/shop/firestore/data/~2Fusers", "/console/shop/firestore/-default-/data/users"],
    ["/project/shop/firestore/data/users/ada", "/console/shop/firestore/-default-/data/users/ada"],
    ["/project/shop/firestore", "/console/shop/firestore/-default-/data"],
    ["/u/0/project/shop/firestore/rules", "/console/shop/rules/-default-"],
    ["/project/shop/firestore/databases/eu/indexes", "/console/shop/firestore/eu/indexes"],
    ["/v1/r/project/shop/firestore/indexes", "/console/shop/firestore/-default-/indexes"],
    ["/v1/r/project/shop/firestore/databases/eu/indexes", "/console/shop/firestore/eu/indexes"],
    ["/project/shop/authentication/users", "/console/shop/users"], ["/project/shop/authentication/providers", "/console/shop/users"],
    ["/project/shop/storage/shop.appspot.com/files/~2Fphotos~2F2024", "/console/shop/files/shop.appspot.com?prefix=photos%2F2024%2F"],
    ["/project/shop/config/experiments", "/console/shop/config/experiments"],
    ["/project/shop/storage/shop.appspot.com/files", "/console/shop/files/shop.appspot.com"], ["/project/shop/config", "/console/shop/config"],
    ["/project/shop/notification/compose", "/console/shop/messages"], ["/project/shop/messaging", "/console/shop/messages"],
    ["/project/shop/analytics/app/ios:a/debugview", "/console/shop/analytics/debugview"],
    ["/project/shop/settings/serviceaccounts/adminsdk", "/console/shop/settings"], ["/project/shop", "/console/shop/overview"],
    ["/project/_/firestore", "/console/firestore/-default-/data"],
  ];
  for (const [address, own] of cases) assert.equal(format(parse(address, "")), own, address);
});

test("effects follow what they read and end with their scope", () => {
  const [one, other] = [signal(1), signal(10)];
  const seen = [];
  const { dispose } = scope(() => {
    effect(() => seen.push(one.value > 1 ? other.value : 0));
    onCleanup(() => seen.push("end"));
  });
  other.value = 11;
  one.value = 2;
  other.value = 12;
  dispose();
  other.value = 13;
  assert.deepEqual(seen, [0, 11, 12, "end"]);
});

test("frames are cut in UTF-16 code units, wherever the text is broken", () => {
  const messages = [[[1, ["noop"]]], [[2, [{ text: "é🔥\n" }]]], []];
  const text = messages.map((message) => JSON.stringify(message)).map((json) => `${json.length}\n${json}`).join("");
  for (let size = 1; size < 8; size += 1) {
    const frames = new Frames();
    const found = [];
    for (let at = 0; at < text.length; at += size) found.push(...frames.feed(text.slice(at, at + size)));
    assert.deepEqual(found, messages);
  }
  assert.throws(() => new Frames().feed("x\n"));
  assert.equal(form([{ a: 1 }], 4), "count=1&ofs=4&req0___data__=%7B%22a%22%3A1%7D");
});

test("a target shows consistent states alone, and begins anew when it missed a deletion", () => {
  const shown = [];
  const target = new TargetState(2, {}, ({ documents }) => shown.push([...documents.keys()].join()), (error) => shown.push(error.status));
  const document = (name) => target.receive({ documentChange: { document: { name }, targetIds: [2] } });
  document("a");
  target.receive({ targetChange: { targetChangeType: "CURRENT", targetIds: [2], resumeToken: "t1" } });
  assert.deepEqual(shown, []);
  target.receive({ targetChange: { readTime: "1" } });
  document("b");
  target.receive({ documentDelete: { document: "a", removedTargetIds: [2] } });
  target.receive({ targetChange: { readTime: "2", resumeToken: "t2" } });
  target.receive({ targetChange: { readTime: "3" } });
  assert.deepEqual(shown, ["a", "b"]);
  assert.deepEqual(target.request(), { targetId: 2, resumeToken: "t2", expectedCount: 1 });
  assert.equal(target.receive({ filter: { targetId: 2, count: 1 } }), undefined);
  assert.equal(target.receive({ filter: { targetId: 2 } }), "again");
  assert.equal(target.request().resumeToken, undefined);
  assert.equal(target.receive({ targetChange: { targetChangeType: "REMOVE", cause: { code: 7, message: "no" } } }), "refused");
  assert.equal(shown.at(-1), "PERMISSION_DENIED");
});

test("what two people changed is joined, and only the same field is a conflict", () => {
  const [x, y, z] = ["x", "y", "z"].map((text) => ({ stringValue: text }));
  assert.deepEqual(merge({ a: x, b: x }, { a: y, b: x }, { a: x, b: z }), { fields: { a: y, b: z }, conflicts: [] });
  assert.deepEqual(merge({ a: x }, { a: y }, { a: z }), { fields: { a: y }, conflicts: ["a"] });
  assert.deepEqual(merge({ a: x }, { a: y }, { a: z }, { a: "theirs" }), { fields: { a: z }, conflicts: ["a"] });
  assert.deepEqual(merge({ a: x }, {}, { a: z }), { fields: {}, conflicts: ["a"] });
  assert.deepEqual(merge({ a: x }, { a: y }, { a: y }), { fields: { a: y }, conflicts: [] });
});

test("the link of a query's error names its index", () => {
  const text = (number, value) => [number << 3 | 2, value.length, ...Buffer.from(value)];
  const inner = (...bytes) => [26, bytes.flat().length, ...bytes.flat()];
  const name = "projects/p/databases/(default)/collectionGroups/c/indexes/_";
  const bytes = [...text(1, name), 16, 1, ...inner(text(1, "a"), [16, 2]), ...inner(text(1, "t"), [24, 1])];
  assert.deepEqual(readIndex(Buffer.from(bytes).toString("base64url")), {
    project: "p", database: "(default)", collection: "c", scope: "COLLECTION",
    fields: [{ fieldPath: "a", order: "DESCENDING" }, { fieldPath: "t", arrayConfig: "CONTAINS" }],
  });
  for (const parameter of ["", "x", "%%%", Buffer.from(bytes.slice(0, -3)).toString("base64url")]) assert.equal(readIndex(parameter), null);
});

const modules = readdirSync(FILES, { recursive: true }).filter((path) => path.endsWith(".js") && !path.startsWith("i18n"));
const sourceOf = (path) => readFileSync(new URL(path, FILES), "utf8");

/** A module with all that it imports before it runs. */
function closure(path, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  for (const [, other] of sourceOf(path).matchAll(/^(?:import|export) [^;]*?from "([^"]+)"/gm)) closure(new URL(other, new URL(path, FILES)).href.slice(FILES.href.length), found);
  return found;
}

/** A page's modules, and those that it loads when somebody asks for what they do. */
function wholePage(name) {
  const found = closure(`${name}/page.js`);
  for (const path of found) for (const [, other] of sourceOf(path).matchAll(/\bimport\("(\.\/[^"]+)"\)/g)) closure(new URL(other, new URL(path, FILES)).href.slice(FILES.href.length), found);
  return found;
}

/** The catalogues of a language, by name. */
async function catalogues(tag) {
  const names = readdirSync(new URL(`i18n/${tag}/`, FILES)).map((file) => file.slice(0, -3));
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, (await import(new URL(`i18n/${tag}/${name}.js`, FILES))).default])));
}

const [english, portuguese] = await Promise.all(["en", "pt-BR"].map(catalogues));
const pages = Object.keys(english).filter((name) => name !== "common");

test("both languages have the same texts, each in one catalogue", () => {
  assert.deepEqual(Object.keys(portuguese), Object.keys(english));
  const seen = new Set();
  for (const [name, texts] of Object.entries(english)) {
    assert.deepEqual(Object.keys(portuguese[name]), Object.keys(texts), name);
    for (const key of Object.keys(texts)) {
      assert.equal(typeof portuguese[name][key], typeof texts[key], key);
      assert.ok(!seen.has(key), `${key} is there twice`);
      seen.add(key);
    }
  }
});

test("every page has the texts that it asks for, and every text is asked for", () => {
  const asked = (paths) => [...paths].map(sourceOf).join("\n");
  const check = (name, source) => {
    for (const [, key] of source.matchAll(/\b(?:t|field|lead|searchLine)\("([^"]+)"/g)) assert.ok(Object.hasOwn(english.common, key) || Object.hasOwn(english[name], key), `${key} on ${name}`);
  };
  const isAsked = (key, source) => source.includes(`"${key}"`) || [...source.matchAll(/[`]([a-zA-Z]+\.)\$\{|\bnamed\("([a-zA-Z]+)"/g)].some(([, prefix, name]) => key.startsWith(prefix ?? `${name}.`));
  check("common", asked(closure("app.js")));
  for (const name of pages) {
    const source = asked(wholePage(name));
    check(name, source);
    for (const key of Object.keys(english[name])) assert.ok(isAsked(key, source), `nobody asks for ${key} on ${name}`);
  }
  const all = asked(modules);
  for (const key of Object.keys(english.common)) assert.ok(isAsked(key, all), `nobody asks for ${key}`);
});

test("no module makes markup, runs text or writes a text of its own into the page", () => {
  for (const path of modules) {
    const source = sourceOf(path);
    assert.doesNotMatch(source, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|srcdoc|DOMParser/, path);
    assert.doesNotMatch(source, /label: "[A-Z][a-z]|(?:title|placeholder): "[A-Za-z]{2,}/, path);
  }
});

test("every icon that a module names is drawn", () => {
  const drawn = new Set([...sourceOf("base/dom.js").matchAll(/^ {2}(\w+): "[Mm]/gm)].map(([, name]) => name));
  for (const path of modules) {
    for (const [, name] of sourceOf(path).matchAll(/\b(?:icon|iconButton|blank|teaching)\("(\w+)"|\bicon: "(\w+)"/g)) if (name) assert.ok(drawn.has(name), `${name} of ${path}`);
  }
});

test("an instant before another one is a microsecond before it", () => {
  const cases = { "2026-03-01T12:00:00.000001Z": "2026-03-01T12:00:00.000000Z", "2026-03-01T00:00:00Z": "2026-02-28T23:59:59.999999Z", "2026-03-01T12:00:00.5Z": "2026-03-01T12:00:00.499999Z", "1969-12-31T23:59:59.000000Z": "1969-12-31T23:59:58.999999Z" };
  for (const [text, before] of Object.entries(cases)) assert.equal(justBefore(text), before);
});
