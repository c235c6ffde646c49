import { call, projectPath, withQuery } from "../base/api.js";

/** The accounts of a project, by the API of administrators. */

const accounts = (project, verb) => `${projectPath(project, "accounts")}${verb ? `:${verb}` : ""}`;

export const PAGE_SIZE = 100;

const pageOf = (project, maxResults, nextPageToken, options) => call("GET", withQuery(accounts(project, "batchGet"), { maxResults, nextPageToken }), undefined, options);

/** A page of all users by uid: `{users, next}`; `next` is null at the end. */
export async function list(project, pageToken) {
  const { users = [], nextPageToken } = await pageOf(project, PAGE_SIZE, pageToken);
  return { users, next: users.length === PAGE_SIZE && nextPageToken ? nextPageToken : null };
}

/** The most that one search looks at, so many at a time, and the most that it shows. */
export const SEARCH = { users: 20_000, page: 1_000, found: 200 };

/** Whether a text is in what a user is known by: address, number, name or uid; the case does not matter. Pure. */
export function isFound(user, text) {
  const wanted = text.toLowerCase();
  const digits = text.replace(/[\s()-]/g, "");
  return [user.email, user.displayName, user.localId].some((one) => one?.toLowerCase().includes(wanted)) || (/^\+?\d+$/.test(digits) && Boolean(user.phoneNumber?.includes(digits)));
}

/**
 * The users in whose address, number, name or uid a text is: `{users, seen, isWhole}`, with how many were looked at, and
 * whether those were all. `progress` gets the same as it goes on. Whom the text names exactly is found among any number.
 */
export async function search(project, text, { signal, progress }) {
  const outcome = { users: await find(project, text, signal), seen: 0, isWhole: true };
  const known = new Set(outcome.users.map((user) => user.localId));
  let pageToken = null;
  do {
    const { users = [], nextPageToken } = await pageOf(project, SEARCH.page, pageToken, { signal });
    for (const user of users) if (!known.has(user.localId) && isFound(user, text)) outcome.users.push(user);
    outcome.seen += users.length;
    pageToken = users.length === SEARCH.page ? nextPageToken : null;
    outcome.isWhole = !pageToken;
    progress(outcome);
  } while (pageToken && outcome.seen < SEARCH.users && outcome.users.length < SEARCH.found);
  return outcome;
}

/** The users who have exactly that email address, phone number or uid. */
export async function find(project, text, signal) {
  const wanted = text.includes("@") ? { email: [text] } : /^\+\d+$/.test(text) ? { phoneNumber: [text] } : { localId: [text] };
  return (await call("POST", accounts(project, "lookup"), wanted, { signal })).users ?? [];
}

/** The user of a uid; null where there is none any more. */
export const get = async (project, uid) => (await call("POST", accounts(project, "lookup"), { localId: [uid] })).users?.[0] ?? null;

/** Makes a user; gives the uid. */
export const create = async (project, user) => (await call("POST", accounts(project), user)).localId;

/** Changes a user. */
export const update = (project, uid, changes) => call("POST", accounts(project, "update"), { localId: uid, ...changes });

/** Deletes a user. */
export const remove = (project, uid) => call("POST", accounts(project, "delete"), { localId: uid });

/** What differs between a user and what was typed, as the API takes it. Pure. */
export function changesOf(user, typed) {
  const changes = {};
  const deleted = [];
  const text = (name, attribute) => {
    if (typed[name] === (user[name] ?? "")) return;
    if (typed[name] === "" && attribute) deleted.push(attribute);
    else changes[name] = typed[name];
  };
  text("displayName", "DISPLAY_NAME");
  text("photoUrl", "PHOTO_URL");
  text("email", "EMAIL");
  if (typed.phoneNumber !== (user.phoneNumber ?? "")) {
    if (typed.phoneNumber === "") changes.deleteProvider = ["phone"];
    else changes.phoneNumber = typed.phoneNumber;
  }
  if (typed.password) changes.password = typed.password;
  if (typed.emailVerified !== Boolean(user.emailVerified)) changes.emailVerified = typed.emailVerified;
  if (typed.disabled !== Boolean(user.disabled)) changes.disableUser = typed.disabled;
  if (typed.claims !== (user.customAttributes || "{}")) changes.customAttributes = typed.claims;
  if (deleted.length > 0) changes.deleteAttribute = deleted;
  return changes;
}

/** The providers by which a user signs in. Pure. */
export const providersOf = (user) => (user.providerUserInfo ?? []).map((provider) => provider.providerId);
