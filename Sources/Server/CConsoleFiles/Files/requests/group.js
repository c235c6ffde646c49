/** Denials, brought together by what they have in common. Pure. */

/** A path with its ids left out: `users/*`, of documents and files alike every second segment. */
export const shapeOf = (path) => path.split("/").map((segment, index) => (index % 2 === 1 && segment !== "" ? "*" : segment)).join("/");

/** The first line that the rules give as reason, by which denials are of one statement. */
export const statementOf = (denial) => (denial.why ?? "").split("\n")[0];

/**
 * Groups of denials by method, place and statement, those with the newest first: `{key, method, scope, shape, statement,
 * count, people, last}`.
 */
export function groupsOf(denials) {
  const groups = new Map();
  for (const denial of denials) {
    const scope = denial.database ?? denial.bucket ?? "";
    const [shape, statement] = [shapeOf(denial.path ?? ""), statementOf(denial)];
    const key = JSON.stringify([denial.method, scope, shape, statement]);
    const group = groups.get(key) ?? { key, method: denial.method, scope, shape, statement, count: 0, people: new Set(), last: denial };
    group.count += 1;
    group.people.add(denial.uid);
    if (denial.number >= group.last.number) group.last = denial;
    groups.set(key, group);
  }
  return [...groups.values()].sort((one, other) => other.last.number - one.last.number);
}

/** Whether a request has what is asked for; what is empty asks for nothing. */
export const matches = (one, { service, method, outcome }) =>
  (!service || (service === "storage") === (one.bucket !== undefined)) && (!method || one.method === method) && (!outcome || one.isAllowed === (outcome === "allowed"));

/** Where the playground tries a denied request again; null for what is no request of one document or file. */
export function playgroundOf(denial) {
  if (denial.bucket && denial.method !== "list") return { rest: ["-storage-", denial.bucket], query: queryOf(denial) };
  const database = /^projects\/[^/]+\/databases\/([^/]+)$/.exec(denial.database ?? "")?.[1];
  if (!database || denial.path === undefined || denial.method === "list") return null;
  return { rest: [database], query: queryOf(denial) };
}

const queryOf = (denial) => ({ method: denial.method, path: denial.path, uid: denial.uid === "nobody" ? "" : denial.uid });
