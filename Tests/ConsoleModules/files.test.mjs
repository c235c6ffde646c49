import assert from "node:assert/strict";
import { test } from "node:test";

import { sizeText } from "../../Sources/Server/CConsoleFiles/Files/base/bytes.js";
import { previewOf, typeOf } from "../../Sources/Server/CConsoleFiles/Files/files/sniff.js";
import { changesOf, nameBeside } from "../../Sources/Server/CConsoleFiles/Files/files/store.js";

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
});
