import { bodyText, call, path, projectPath, send } from "../base/api.js";
import { read } from "../base/request.js";
import { bare } from "./model.js";

/** The template of a project's apps, by Google's template API. */

const root = (project, verb = "") => projectPath(project, "remoteConfig") + verb;

/** A template with its etag; of a version where one is named, else the newest. */
export async function load(project, version) {
  const response = await send("GET", root(project) + (version ? `?versionNumber=${version}` : ""));
  const template = await read(response);
  return { template: bare(template), version: template.version ?? null, etag: response.headers.get("etag") };
}

/** Publishes a template in place of the version of that etag; a `CallError` with status 409 where that is not the newest. */
export async function publish(project, template, etag, description) {
  const body = description ? { ...template, version: { description } } : template;
  return read(await send("PUT", root(project), bodyText(body), { headers: { "content-type": "application/json", "if-match": etag } }));
}

/** What is wrong with a template; throws a `CallError` that says it. */
export async function validate(project, template) {
  const headers = { "content-type": "application/json", "if-match": "*" };
  return read(await send("PUT", `${root(project)}?validateOnly=true`, bodyText(template), { headers }));
}

/** The versions, the newest first. */
export const versions = async (project) => (await call("GET", `${root(project, ":listVersions")}?pageSize=100`)).versions ?? [];

/** Makes an earlier version the newest again. */
export const rollBack = (project, versionNumber) => call("POST", root(project, ":rollback"), { versionNumber });

/** The experiments of the version in force, with how many installations each variant has. */
export const experiments = async (project) => (await call("GET", `${root(project)}/experiments`)).experiments;

/** What the variants of an experiment came to by a goal. */
export const result = (project, id, goal) => call("GET", `${root(project)}/experiments${path(id)}?${new URLSearchParams(goal)}`);
