/** Requests of the server, and what their answers mean. */

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

/** One request; the response as it is. Throws `CallError` where the server was not reached. */
export async function request(method, path, { headers = {}, body, credentials = "omit", signal: abort } = {}) {
  try {
    return await fetch(path, { method, headers, body, credentials, cache: "no-store", signal: abort });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new CallError(0, "UNAVAILABLE", error.message, null);
  }
}

/** The JSON of a response; throws `CallError` for one that is no success. */
export async function read(response) {
  const text = await response.text();
  const json = parse(text);
  if (!response.ok) throw failure(response, json, text);
  return json;
}

/** One call of the routes by which people sign in: the only ones that the session's cookie goes to. */
export async function post(path, body, headers = {}) {
  const options = { headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body), credentials: "same-origin" };
  return read(await request("POST", path, options));
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
