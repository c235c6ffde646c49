import { read, request } from "./request.js";
import { authorization, forgetToken } from "./session.js";
import { signal } from "./signal.js";

/**
 * As whom data is looked at: null for the administrator, else a user of an app, whom the rules let read what they let
 * the user read. Nothing is changed meanwhile, here and by the server.
 */
export const viewed = signal(null);

/** Begins to look at data as `{project, uid}`, where the uid is null for nobody, or ends it with null. */
export function viewAs(who) {
  token = null;
  viewed.value = who;
}

const MARGIN = 30_000;
let token = null;

/** The credentials of who looks: the administrator's own for null. */
export async function authorizationOf(who) {
  if (who === null) return authorization();
  if (who.uid === null) return null;
  const key = JSON.stringify(who);
  if (token?.key !== key || Date.now() > token.end - MARGIN) {
    const headers = { "content-type": "application/json", authorization: await authorization() };
    const path = `/console/api/projects/${encodeURIComponent(who.project)}/view`;
    const made = await read(await request("POST", path, { headers, body: JSON.stringify({ uid: who.uid }) }));
    token = { key, header: `Bearer ${made.token}`, end: Date.now() + made.expiresIn * 1_000 };
  }
  return token.header;
}

/** Has the next call ask for another token; for who was told that this one is not valid. */
export function forgetAuthorization(header) {
  if (header !== null && token?.header === header) token = null;
  else forgetToken(header);
}

// Which collections there are is for administrators alone, whoever looks.
const DATA = /^\/v1\/projects\/[^/]+\/databases\/[^/]+\/documents(?!.*:listCollectionIds$)/;

/** Who calls a path. */
export const callerOf = (path) => (DATA.test(path) ? viewed.peek() : null);
