import { call, path, projectPath, withQuery } from "../base/api.js";
import { idOf, requestOf } from "./model.js";

/** The messages of a project. */

const root = (project, verb = "") => projectPath(project, "messages") + verb;

export const PAGE_SIZE = 50;

/** The most topics that are listed. */
const MOST_TOPICS = 20_000;

/** A page of messages, the newest first: `{messages, nextPageToken}`. */
export const list = (project, pageToken) => call("GET", withQuery(root(project), { pageSize: PAGE_SIZE, pageToken }));

/** One message with its content and its counts. */
export const get = (project, id) => call("GET", root(project) + path(id));

/** The first thousand deliveries of a message. */
export const deliveries = async (project, id) => (await call("GET", `${root(project)}${path(id, "deliveries")}?pageSize=1000`)).deliveries;

/** Takes a message back whose time has not come. */
export const cancel = (project, id) => call("DELETE", root(project) + path(id));

/** The audiences of analytics by name; none where there is no analytics. */
export const audiences = (project) => call("GET", projectPath(project, "analytics", "audiences")).then((answer) => answer.audiences, () => []);

/** Topics with the number of their registrations, by name. */
export async function topics(project) {
  const found = [];
  let pageToken = "";
  do {
    const page = await call("GET", withQuery(root(project, ":listTopics"), { pageSize: 1_000, pageToken }));
    found.push(...page.topics);
    pageToken = page.nextPageToken ?? "";
  } while (pageToken && found.length < MOST_TOPICS);
  return found;
}

/** Sends a message, or checks it only; gives its id. */
export async function send(project, message, recipient, { at = null, isTrial = false } = {}) {
  const { verb, body } = requestOf(message, recipient, at);
  return idOf(await call("POST", root(project, `:${verb}`), isTrial ? { ...body, validate_only: true } : body));
}
