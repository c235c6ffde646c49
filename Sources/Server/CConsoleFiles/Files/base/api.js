import { isReadOnly, isWriting } from "./access.js";
import { bodyText, CallError, read, request } from "./request.js";
import { untracked } from "./signal.js";
import { t } from "./i18n.js";
import { extend, resume, session } from "./session.js";
import { authorizationOf, callerOf, forgetAuthorization } from "./viewing.js";

export { bodyText, CallError } from "./request.js";
export { session } from "./session.js";

/** Calls of the server, with the credentials of the session. */

/** Asks what the server is and who is signed in. */
export async function loadSession() {
  session.value = await read(await request("GET", "/console/api/session"));
  const isOpen = session.peek().mode === "development";
  if (!isOpen && (await resume())) session.value = await call("GET", "/console/api/session");
  return session.peek();
}

/** Whether somebody may see the pages. */
export const isSignedIn = () => session.peek()?.role !== undefined;

/** One call; the answer's JSON. Throws `CallError`. */
export async function call(method, path, body, options = {}) {
  const headers = { ...options.headers };
  if (body !== undefined) headers["content-type"] = "application/json";
  return read(await send(method, path, body === undefined ? undefined : bodyText(body), { ...options, headers }));
}

/**
 * One call with a body as it is; the response. After 401 it is sent once more with another token, and after
 * RECENT_SIGN_IN_REQUIRED once more if the person has signed in.
 */
export async function send(method, path, body, { headers = {}, signal: abort } = {}) {
  if (untracked(isReadOnly) && isWriting(method, path)) throw new CallError(403, "PERMISSION_DENIED", t("readOnly.explained"), null);
  let [hasOtherToken, isRecent] = [false, false];
  for (;;) {
    const credentials = await authorizationOf(callerOf(path));
    const all = credentials ? { ...headers, authorization: credentials } : headers;
    const response = await request(method, path, { headers: all, body, signal: abort });
    if (response.status === 401 && !hasOtherToken) hasOtherToken = true;
    else if (!isRecent && (await takesRecentSignIn(response)) && (await extend("recent"))) isRecent = true;
    else return response;
    forgetAuthorization(credentials);
  }
}

const takesRecentSignIn = async (response) => response.status === 403 && (await response.clone().text()).includes("RECENT_SIGN_IN_REQUIRED");

/** One call whose answer is bytes. Throws `CallError`. */
export async function callForBlob(method, path, options = {}) {
  const response = await send(method, path, undefined, options);
  if (!response.ok) await read(response);
  return { blob: await response.blob(), headers: response.headers };
}

/** The path of a resource: each segment encoded. */
export function path(...segments) {
  return "/" + segments.map(encodeURIComponent).join("/");
}

/** The path of what belongs to a project, by Google's APIs and by the console's own. */
export const projectPath = (...segments) => path("v1", "projects", ...segments);
export const consolePath = (...segments) => path("console", "api", "projects", ...segments);

/** A path with parameters; those without a value are left out. */
export function withQuery(path, parameters) {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path;
}

/** Whether the server has a service. */
export const hasService = (name) => session.peek().services.includes(name);

/** The resource name of a database. */
export function databaseName(project, database) {
  return `projects/${project}/databases/${database}`;
}

/** The path of a Firestore resource by its name, each segment encoded. */
export function resource(name, verb = "") {
  return "/v1/" + name.split("/").map(encodeURIComponent).join("/") + (verb && `:${verb}`);
}
