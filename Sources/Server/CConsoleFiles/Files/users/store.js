import { call, path } from "../base/api.js";

/** The accounts of a project, by the API of administrators. */

const accounts = (project, verb) => `${path("v1", "projects", project, "accounts")}${verb ? `:${verb}` : ""}`;

export const PAGE_SIZE = 100;

/** A page of all users by uid: `{users, next}`; `next` is null at the end. */
export async function list(project, pageToken) {
  const query = new URLSearchParams({ maxResults: PAGE_SIZE, ...(pageToken ? { nextPageToken: pageToken } : {}) });
  const { users = [], nextPageToken } = await call("GET", `${accounts(project, "batchGet")}?${query}`);
  return { users, next: users.length === PAGE_SIZE && nextPageToken ? nextPageToken : null };
}

/** The users who have exactly that email address, phone number or uid. */
export async function find(project, text) {
  const wanted = text.includes("@") ? { email: [text] } : /^\+\d+$/.test(text) ? { phoneNumber: [text] } : { localId: [text] };
  return (await call("POST", accounts(project, "lookup"), wanted)).users ?? [];
}

/** Makes a user; gives the uid. */
export async function create(project, user) {
  return (await call("POST", accounts(project), user)).localId;
}

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
export function providersOf(user) {
  return (user.providerUserInfo ?? []).map((provider) => provider.providerId);
}
