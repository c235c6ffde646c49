import assert from "node:assert/strict";
import { test } from "node:test";

import { session } from "../../Sources/Server/CConsoleFiles/Files/base/api.js";
import { sizeText } from "../../Sources/Server/CConsoleFiles/Files/base/i18n.js";
import { previewOf, typeOf } from "../../Sources/Server/CConsoleFiles/Files/files/sniff.js";
import { changesOf, downloadURL, nameBeside, tokensOf, upload } from "../../Sources/Server/CConsoleFiles/Files/files/store.js";

const bytes = (text) => Uint8Array.from(text, (character) => character.charCodeAt(0));

test("bytes say what they are, whatever the name says", () => {
  const known = {
    "\x89PNG\r\n\x1a\n....": "image/png", "\xff\xd8\xff\xe0": "image/jpeg", "GIF89a": "image/gif", "RIFF....WEBPVP8 ": "image/webp",
    "....ftypisom": "video/mp4", "....ftypheic": "image/heic", "ID3\x04": "audio/mpeg", "RIFF....WAVE": "audio/wav", "%PDF-1.7": "application/pdf",
    "<svg onload=alert(1)>": "text/plain", "plain\ntext": "text/plain", "\x00\x01\x02": null, "": null,
  };
  for (const [text, type] of Object.entries(known)) assert.equal(typeOf(bytes(text)), type, JSON.stringify(text));
});

test("only what cannot run is shown", () => {
  assert.equal(previewOf("image/png"), "image");
  for (const type of ["image/svg+xml", "text/html", "application/pdf", "image/heic", null]) assert.equal(previewOf(type), null, type);
});

test("an upload ends where the disk is full, and goes on where the server was away", async () => {
  const answers = [];
  const asked = [];
  session.value = { mode: "development", role: "owner", token: "owner" };
  globalThis.location = new URL("http://console.test/");
  globalThis.setTimeout = (run) => { queueMicrotask(run); return 0; };
  globalThis.fetch = async (address, { headers }) => {
    asked.push(headers["content-range"]);
    const answer = answers.shift();
    if (answer === undefined) throw new TypeError("connection refused");
    return new Response(answer.status === 200 ? '{"name":"film"}' : "{}", answer);
  };
  const begun = { status: 200, headers: { location: "/upload/1" } };
  const taken = (end) => ({ status: 308, headers: { range: `bytes=0-${end}` } });
  const file = new Blob([new Uint8Array((8 << 20) + 1)]);
  const go = () => upload("b", "film", file, { progress: () => {} });
  // A status below 200 or of 308 has no body.
  globalThis.Response = class extends Response { constructor(body, init) { super(init.status === 308 ? null : body, init); } };
  answers.push(begun, { status: 507 });
  await assert.rejects(go(), (error) => error.status === 507);
  assert.deepEqual(asked.splice(0), [undefined, "bytes 0-8388607/8388609"]);
  answers.push(begun, { status: 503 }, taken(99), { status: 200 });
  assert.equal((await go()).name, "film");
  assert.deepEqual(asked.splice(0), [undefined, "bytes 0-8388607/8388609", "bytes */8388609", "bytes 100-8388608/8388609"]);
  // Nothing but silence, in the end.
  answers.push(begun);
  await assert.rejects(go(), (error) => error.status === 0);
  assert.equal(asked.length, 14);
});

test("a name beside one that is taken keeps its end and its folder", () => {
  assert.equal(nameBeside("a.b/photo.jpg", 2), "a.b/photo (2).jpg");
  assert.equal(nameBeside("a.b/photo", 3), "a.b/photo (3)");
  assert.equal(nameBeside("a/.env", 2), "a/.env (2)");
});

test("sizes have three digits and a unit", () => {
  const format = (value, unit) => `${value} ${unit}`;
  assert.deepEqual([0, 999, 1_500, 2_000_000].map((size) => sizeText(size, format)), ["0 byte", "999 byte", "1.5 kilobyte", "2 megabyte"]);
});

test("only what was changed of metadata is sent", () => {
  const file = { contentType: "image/png", cacheControl: "no-store", metadata: { a: "1", b: "2" } };
  const same = { contentType: "image/png", cacheControl: "no-store", contentDisposition: "", metadata: { a: "1", b: "2" } };
  assert.deepEqual(changesOf(file, same), {});
  assert.deepEqual(changesOf(file, { ...same, cacheControl: "", metadata: { b: "3", ["__proto__x"]: "y" } }), { cacheControl: null, metadata: { a: null, b: "3", ["__proto__x"]: "y" } });
  const { metadata } = changesOf(file, { ...same, metadata: { ...same.metadata, ["__proto__"]: "z" } });
  assert.deepEqual(Object.entries(metadata), [["__proto__", "z"]]);
});

test("a file's download tokens are apart from its metadata, and stay when that changes", () => {
  const file = { metadata: { a: "1", firebaseStorageDownloadTokens: "t1,t2" } };
  const { tokens, metadata, withTokens } = tokensOf(file);
  assert.deepEqual([tokens, metadata], [["t1", "t2"], { a: "1" }]);
  assert.deepEqual(changesOf(file, { contentType: "", cacheControl: "", contentDisposition: "", metadata: withTokens({ b: "2" }) }), { metadata: { a: null, b: "2" } });
  assert.deepEqual(tokensOf({}).withTokens({ b: "2" }), { b: "2" });
  assert.equal(downloadURL("https://x.example", "b", "a b/ç?.txt", "t"), "https://x.example/v0/b/b/o/a%20b%2F%C3%A7%3F.txt?alt=media&token=t");
});
