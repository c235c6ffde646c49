import { call, CallError, projectPath, resource, withQuery } from "../base/api.js";
import { releaseOf } from "./release.js";

/** The rules of a database or bucket: what is in force, its versions, deploying, trying. */

const releasePath = (project, target) => resource(`projects/${project}/releases/${releaseOf(target)}`);

/** The rules in force: `{ruleset, source}`; null where none are. */
export async function current(project, target) {
  try {
    const release = await call("GET", releasePath(project, target));
    return { ruleset: release.rulesetName, source: await sourceOf(release.rulesetName), updateTime: release.updateTime };
  } catch (error) {
    if (error instanceof CallError && error.code === "NOT_FOUND") return null;
    throw error;
  }
}

/** The source of a version. */
export async function sourceOf(ruleset) {
  const { source } = await call("GET", resource(ruleset));
  return source.files.map((file) => file.content).join("\n");
}

/** The versions of a project's rules of a service, the newest first. */
export async function versions(project, service) {
  const found = [];
  let pageToken = "";
  do {
    const { rulesets = [], nextPageToken = "" } = await call("GET", withQuery(projectPath(project, "rulesets"), { pageSize: 100, pageToken }));
    found.push(...rulesets.filter(({ metadata }) => metadata.services.includes(service)));
    pageToken = nextPageToken;
  } while (pageToken);
  return found;
}

const files = (source) => ({ files: [{ name: "firestore.rules", content: source }] });

/** Compiles a source, and tries requests on it if there are some. */
const tried = (project, source, testCases) =>
  call("POST", `${projectPath(project)}:test`, { source: files(source), ...(testCases ? { testSuite: { testCases } } : {}) });

/** What the compiler says of a source. */
export async function check(project, source) {
  const { issues = [] } = await tried(project, source);
  return issues;
}

/** Tries a request on a source: `{isAllowed, messages, issues}`. */
export async function tryRequest(project, source, test) {
  const testCase = { expectation: "ALLOW", pathEncoding: "PLAIN", expressionReportLevel: "VISITED", ...test };
  const { issues = [], testResults: [result] = [] } = await tried(project, source, [testCase]);
  return { issues, result, isAllowed: result?.state === "SUCCESS" };
}

/** Tries requests on a source: `{issues, verdicts}`, for each whether it is allowed. */
export async function tryRequests(project, source, tests) {
  if (tests.length === 0) return { issues: [], verdicts: [] };
  const testCases = tests.map((test) => ({ expectation: "ALLOW", pathEncoding: "PLAIN", ...test }));
  const { issues = [], testResults = [] } = await tried(project, source, testCases);
  return { issues: testResults.length > 0 ? [] : issues, verdicts: testResults.map(({ state }) => state === "SUCCESS") };
}

/**
 * Puts a source in force.
 *
 * `expected` is the version that it was written on; throws a `CallError` of code ABORTED where another one is in
 * force by now.
 */
export async function deploy(project, target, source, expected) {
  const now = await current(project, target);
  if ((now?.ruleset ?? null) !== expected) throw new CallError(409, "ABORTED", "");
  return publish(project, target, source);
}

/** Puts a source in force, whatever was so before; the name of its version. */
export async function publish(project, target, source) {
  const { name } = await call("POST", projectPath(project, "rulesets"), { source: files(source) });
  await call("PATCH", releasePath(project, target), {
    release: { name: `projects/${project}/releases/${releaseOf(target)}`, rulesetName: name },
  });
  return name;
}
