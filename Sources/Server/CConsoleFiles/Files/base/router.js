/**
 * Addresses of views and back. Pure.
 *
 *     /console/{project}/{area}/{rest…}?query
 *     /console/{project}/firestore/{database}/data/{path…}?q=
 *     /console/{project}/firestore/{database}/indexes
 *
 * `(default)` is written `-default-`. Firebase's own addresses open the same views.
 */

/** A place in the console: its project, area, what follows, and the query's parameters. */
export function parse(pathname, search) {
  const query = Object.fromEntries(new URLSearchParams(search));
  const segments = pathname.split("/").slice(1).map(decode);
  const alias = fromFirebase(segments, query);
  if (alias) return { ...alias, isAlias: true };
  const [, project = "", area = "", ...rest] = segments;
  const kept = rest.filter((segment, index) => segment !== "" || index < rest.length - 1);
  return { project, area, rest: kept.map(plainDatabase), query };
}

/** The address of a place. */
export function format({ project = "", area = "", rest = [], query = {} }) {
  const segments = ["console", project, area, ...rest.map(writtenDatabase)].filter((segment) => segment !== "");
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") parameters.set(name, value);
  }
  const text = parameters.toString();
  return "/" + segments.map(encodeURIComponent).join("/") + (text && `?${text}`);
}

function decode(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const plainDatabase = (segment, index) => (index === 0 && segment === "-default-" ? "(default)" : segment);
const writtenDatabase = (segment, index) => (index === 0 && segment === "(default)" ? "-default-" : segment);

/** The place that an address of Firebase's console means; null for what is none. */
function fromFirebase(segments, query) {
  let parts = segments;
  if (parts[0] === "v1" && parts[1] === "r") parts = parts.slice(2);
  if (parts[0] === "u" && parts[2] === "project") parts = parts.slice(2);
  if (parts[0] !== "project") return null;
  const [, named = "", product = "overview", ...rest] = parts;
  const project = named === "_" ? "" : named;
  const { query: shown, ...place } = area(product, rest);
  return { project, query: { ...query, ...shown }, ...place };
}

/** The areas by what Firebase calls them, where the names differ; the rest of an address that they keep. */
const AREAS = { authentication: ["users"], config: ["config", "experiments"], messaging: ["messages"], notification: ["messages"], analytics: ["analytics", "debugview"], functions: ["functions"], hosting: ["hosting"], settings: ["settings"] };

function area(product, rest) {
  if (product === "firestore") return firestore(rest);
  if (product === "storage") return rest[1] === "rules" ? { area: "rules", rest: ["-storage-", rest[0]] } : files(rest);
  const [area, kept] = AREAS[product] ?? ["overview"];
  return { area, rest: rest.filter((part) => part === kept).slice(0, 1) };
}

/** `{bucket}/files/~2Fphotos~2F2024`. */
function files([bucket, , ...folders]) {
  const prefix = plainPath(folders).map((part) => `${part}/`).join("");
  return { area: "files", rest: bucket ? [bucket] : [], query: { prefix } };
}

const plainPath = (parts) => parts.join("/").replaceAll("~2F", "/").split("/").filter(Boolean);

/** `databases/{d}/data/~2Fusers~2Fada`, `data/~2Fusers`, `rules`, `indexes`. */
function firestore(rest) {
  const isNamed = rest[0] === "databases";
  const database = isNamed ? plainDatabase(rest[1] ?? "(default)", 0) : "(default)";
  const [view = "data", ...more] = isNamed ? rest.slice(2) : rest;
  if (view === "rules") return { area: "rules", rest: [database] };
  if (view === "indexes") return { area: "firestore", rest: [database, "indexes"] };
  return { area: "firestore", rest: [database, "data", ...plainPath(more)] };
}
