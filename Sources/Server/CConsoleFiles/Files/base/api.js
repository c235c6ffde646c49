import { signal } from "./signal.js";

/** Calls of the server, with the credentials of the session. */

/** An answer other than success. */
export class CallError extends Error {
  constructor(status, code, message, requestID) {
    super(message);
    /** The HTTP status; 0 where the server was not reached. */
    this.status = status;
    /** Google's name of the status, such as NOT_FOUND. */
    this.code = code;
    this.requestID = requestID;
  }
}

/** What `/console/api/session` says; null before it was asked. */
export const session = signal(null);

/** The `Authorization` header of calls; null for nobody. */
export async function authorization() {
  const token = session.peek()?.token;
  return token ? `Bearer ${token}` : null;
}

/** Asks who is signed in. */
export async function loadSession() {
  session.value = await call("GET", "/console/api/session");
  return session.peek();
}

/** One call; the answer's JSON. Throws `CallError`. */
export async function call(method, path, body, { signal: abort } = {}) {
  const headers = new Headers();
  const credentials = await authorization();
  if (credentials) headers.set("authorization", credentials);
  if (body !== undefined) headers.set("content-type", "application/json");
  let response;
  try {
    response = await fetch(path, {
      method,
      headers,
      body: body === undefined ? undefined : bodyText(body),
      credentials: "omit",
      cache: "no-store",
      signal: abort,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new CallError(0, "UNAVAILABLE", error.message, null);
  }
  const text = await response.text();
  const json = parse(text);
  if (!response.ok) throw failure(response, json, text);
  return json;
}

/** A body's JSON; a zero keeps its sign, which JSON's own writer drops. */
export const bodyText = (body) => JSON.stringify(body, (_, value) => (Object.is(value, -0) ? "-0" : value));

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function failure(response, json, text) {
  const error = (Array.isArray(json) ? json[0] : json)?.error;
  const code = error?.status ?? (response.status === 404 ? "NOT_FOUND" : "UNKNOWN");
  const message = error?.message ?? text.slice(0, 500);
  return new CallError(response.status, code, message, response.headers.get("x-request-id"));
}

/** The path of a resource: each segment encoded. */
export function path(...segments) {
  return "/" + segments.map(encodeURIComponent).join("/");
}

/** The resource name of a database. */
export function databaseName(project, database) {
  return `projects/${project}/databases/${database}`;
}

/** The path of a Firestore resource by its name, each segment encoded. */
export function resource(name, verb = "") {
  return "/v1/" + name.split("/").map(encodeURIComponent).join("/") + (verb && `:${verb}`);
}
