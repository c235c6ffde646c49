import assert from "node:assert/strict";
import { test } from "node:test";

import { send } from "../../Sources/Server/CConsoleFiles/Files/base/api.js";
import { asking, extend, session } from "../../Sources/Server/CConsoleFiles/Files/base/session.js";

globalThis.document = new EventTarget();
session.value = { role: "owner" };

/** Has calls of the path "/grave" answered by statuses, one after another; gives what was asked, in order, and ends the token's timer. */
function answering(...statuses) {
  const asked = [];
  globalThis.fetch = async (path) => {
    asked.push(path);
    if (path === "/console/session/token") return Response.json({ token: `t${asked.length}`, expiresIn: 300, sessionEndsIn: 3_600 });
    const status = statuses.shift();
    return Response.json(status === 403 ? { error: { message: "RECENT_SIGN_IN_REQUIRED" } } : {}, { status });
  };
  const schedule = globalThis.setTimeout;
  globalThis.setTimeout = (...values) => schedule(...values).unref();
  return asked;
}

const calls = (asked) => asked.filter((path) => path === "/grave").length;

test("a call goes on after another token and a sign-in, once after each", async () => {
  let dialogs = 0;
  asking.act = async () => { dialogs += 1; return true; };
  const asked = answering(401, 403, 200);
  assert.equal((await send("POST", "/grave")).status, 200);
  assert.deepEqual([calls(asked), dialogs], [3, 1]);
  const again = answering(401, 401);
  assert.equal((await send("POST", "/grave")).status, 401);
  assert.equal(calls(again), 2);
  const refused = answering(403, 403);
  assert.equal((await send("POST", "/grave")).status, 403);
  assert.deepEqual([calls(refused), dialogs], [2, 2]);
});

test("calls that wait for a sign-in share its dialog", async () => {
  let end = null;
  let dialogs = 0;
  asking.act = () => new Promise((resolve) => { dialogs += 1; end = resolve; });
  const asked = answering(403, 403, 200, 200);
  const sent = [send("POST", "/grave"), send("POST", "/grave")];
  // Turns in which both have read what they were answered; neither goes on before the dialog ends.
  for (let turn = 0; turn < 100 || !end; turn += 1) await new Promise(setImmediate);
  const more = extend("recent");
  end(true);
  assert.deepEqual((await Promise.all(sent)).map(({ status }) => status), [200, 200]);
  assert.deepEqual([await more, dialogs, calls(asked)], [true, 1, 4]);
});

test("who leaves the dialog sends nothing", async () => {
  asking.act = async () => false;
  const asked = answering(403, 200);
  const response = await send("POST", "/grave");
  assert.equal(response.status, 403);
  assert.match(await response.text(), /RECENT_SIGN_IN_REQUIRED/);
  assert.equal(calls(asked), 1);
});
