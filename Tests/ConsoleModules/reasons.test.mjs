import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { reasonIn, sentenceOf } from "../../Sources/Server/CConsoleFiles/Files/base/reasons.js";
import { snippetsOf } from "../../Sources/Server/CConsoleFiles/Files/overview/snippets.js";

const FILES = new URL("../../Sources/Server/CConsoleFiles/Files/i18n/", import.meta.url);

test("the code of a refusal is found in all its forms, and in no sentence", () => {
  const cases = [
    ["INVALID_CLAIMS", "INVALID_CLAIMS", ""], ["WEAK_PASSWORD : Password should be at least 6 characters", "WEAK_PASSWORD", "Password should be at least 6 characters"],
    ["FORBIDDEN_CLAIM : sub", "FORBIDDEN_CLAIM", "sub"], ["[VALIDATION_ERROR]: [INVALID_NAME]: bad: name", "INVALID_NAME", "bad: name"], ["[VALIDATION_ERROR]: too long", null, "too long"],
    ["Invalid value at 'x': a list is expected.", null, "Invalid value at 'x': a list is expected."], ["TYPE unknown", null, "TYPE unknown"], ["OK", null, "OK"], ["", null, ""],
  ];
  for (const [message, code, detail] of cases) assert.deepEqual(reasonIn(message), { code, detail }, message);
});

test("a sentence by code stands for the code, and an unknown code is not lost", () => {
  const known = { "reason.INVALID_CLAIMS": "Claims are an object.", "reason.FORBIDDEN_CLAIM": (name) => `Not ${name}.`, "error.INVALID_ARGUMENT": "Not valid." };
  const texts = (key, ...values) => (typeof known[key] === "function" ? known[key](...values) : known[key]);
  const say = (message, code = "INVALID_ARGUMENT") => sentenceOf({ code, message }, texts);
  assert.equal(say("INVALID_CLAIMS"), "Claims are an object.");
  assert.equal(say("FORBIDDEN_CLAIM : sub"), "Not sub.");
  assert.equal(say("NEVER_HEARD"), "Not valid. (NEVER_HEARD)");
  assert.equal(say("NEVER_HEARD : of it"), "Not valid. of it");
  assert.equal(say("The name is too long."), "Not valid. The name is too long.");
  assert.equal(say(""), "Not valid.");
  assert.equal(sentenceOf(new Error("Choose a role."), texts), "Choose a role.");
});

test("both languages have the same sentences by code", () => {
  for (const name of ["common", "settings", "config", "users", "messages", "analytics"]) {
    const [en, pt] = ["en", "pt-BR"].map((tag) => [...readFileSync(new URL(`${tag}/${name}.js`, FILES), "utf8").matchAll(/^  "((?:reason|error|drop|provider)\.[^"]+)"/gm)].map(([, key]) => key).sort());
    assert.deepEqual(en, pt, name);
    assert.equal(new Set(en).size, en.length, name);
  }
});

test("only development is told the emulators' settings", () => {
  const here = { protocol: "https:", hostname: "db.example.org", port: "", origin: "https://db.example.org" };
  const emulator = /emulator|isSSLEnabled = false/i;
  for (const text of Object.values(snippetsOf("production", "shop", here))) {
    assert.doesNotMatch(text, emulator);
    assert.match(text, /db\.example\.org:443/);
  }
  assert.match(snippetsOf("production", "shop", here).Python, /api_endpoint/);
  assert.match(snippetsOf("development", "shop", { ...here, protocol: "http:", port: "8080" }).Python, /EMULATOR_HOST=db\.example\.org:8080/);
});
