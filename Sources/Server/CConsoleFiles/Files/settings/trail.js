/** Entries of the audit trail as sentences: the key of one among the texts, with its values. Pure. */

/** What the console does itself, by its word. */
const ACTIONS = { "sign-in": "signIn", "sign-out": "signOut", "second factor": "factor", "recovery code": "recovery", "set-up": "setUp", passkey: "passkey", invite: "invite", remove: "remove" };

const DOCUMENT = "/v1<|beta1>/projects/*/databases/*/documents/{**}";
const KEYS = "<keys|serverKeys|hmacKeys>";
/**
 * Methods and paths, the first that fits. In a path `*` is a segment, `…` anything, and `<a|b>` one of some texts; the
 * value is the segment at `{}`, or the rest at `{**}`.
 */
const CALLS = [
  ["POST", "/console/api/administrators", "invite"], ["PATCH", "/console/api/administrators/{}", "roles"], ["DELETE", "/console/api/administrators/{}", "remove"],
  ["DELETE", "/console/api/invitations/…", "endLink"], ["POST", "/console/api/jobs…", "job"], ["DELETE", "/console/api/jobs…", "endJob"],
  ["POST", "/console/api/projects", "project"], ["PATCH", "/console/api/projects/{}", "renameProject"], ["DELETE", "/console/api/projects/{}", "deleteProject"],
  ["POST", "/console/api/projects/{}/view", "view"],
  ["POST", `/console/api/projects/{}/${KEYS}…`, "key"], ["DELETE", `/console/api/projects/*/${KEYS}/{}…`, "revoke"],
  ["POST", "/console/api/projects/{}/apps", "app"], ["DELETE", "/console/api/projects/*/apps/{}…", "removeApp"],
  ["POST", "/v1/projects/*/databases/{}/documents<|/…>:<commit|batchWrite|write>", "documents"],
  ["PATCH|POST", DOCUMENT, "document"], ["DELETE", DOCUMENT, "deleteDocument"],
  ["POST", "/v1/projects/{}/databases", "database"], ["DELETE", "/v1/projects/*/databases/{}", "deleteDatabase"],
  ["POST", "…/collectionGroups/{}/indexes", "index"], ["DELETE", "…/collectionGroups/{}/indexes/*", "deleteIndex"],
  ["POST", "/v1/projects/{}/rulesets", "ruleset"], ["PATCH", "/v1/projects/*/releases/{**}", "rules"], ["POST", "/v1/projects/*/releases", "rules"],
  ["PUT", "/v1/projects/{}/remoteConfig", "config"], ["POST", "/v1/projects/{}/remoteConfig:rollback", "rollBack"],
  ["POST", "/v1/projects/{}/messages:<send|schedule>…", "message"], ["DELETE", "/v1/projects/*/messages/{}", "takeBack"],
  ["POST", "/v1/projects/{}/accounts", "user"], ["POST", "/v1/projects/{}/accounts:update", "changeUser"], ["POST", "/v1/projects/{}/accounts:<delete|batchDelete>", "deleteUser"],
  ["POST|PUT", "/<upload/|resumable/upload/|>storage/v1/b/{}/o", "upload"], ["PATCH", "/storage/v1/b/*/o/{**}", "file"], ["DELETE", "/storage/v1/b/*/o/{**}", "deleteFile"],
  ["PATCH|PUT", "/<v2|admin/v2>/projects/{}/config", "methods"],
  ["POST", "/v1/projects/{}/triggerEvents:replay", "replay"], ["POST", "/v1/projects/{}/triggerEvents:discard", "discard"], ["POST", "/v1/projects/{}/schedules:run", "runSchedule"],
  ["POST", "…/sites/{}<|/channels/*>/releases", "release"], ["POST", "…/sites/{}/channels", "channel"], ["PATCH", "…/sites/*/channels/{}", "extendChannel"], ["DELETE", "…/sites/*/channels/{}", "deleteChannel"],
  ["POST", "…/sites/{}/customDomains", "connectDomain"], ["DELETE", "…/sites/*/customDomains/{}", "disconnectDomain"], ["POST", "/v1beta1/projects/{}/sites", "site"], ["DELETE", "…/sites/{}", "deleteSite"],
  ["GET|HEAD", "{**}", "read"],
];
const PARTS = { "{}": "([^/]+)", "{**}": "(.+)", "*": "[^/]+", "…": ".*", "<": "(?:", ">": ")" };
const patternOf = (path) => new RegExp(`^${path.replace(/\{\}|\{\*\*\}|[*…<>]/g, (part) => PARTS[part])}$`);

/** Whether an entry is a read that was made: it changed nothing. */
export const isRead = ({ action, status }) => ["GET", "HEAD"].includes(action) && status < 400;

/** What the subjects say of whom a call was about: "invite ada@example.org as editor of shop" is that without the verb. */
const subjectOf = ([first = ""]) => first.replace(/^(?:invite|change|end the link of) /, "");

/** The key of an entry's sentence and its value; null where there is none. */
export function sentenceOf({ action, target, subjects = [] }) {
  const word = ACTIONS[action];
  if (word) return { key: `did.${word}`, value: target };
  for (const [methods, path, key] of CALLS) {
    const found = methods.split("|").includes(action) && patternOf(path).exec(target);
    if (found) return { key: `did.${key}`, value: subjectOf(["invite", "roles", "endLink"].includes(key) ? subjects : []) || decoded(found[1] ?? "") };
  }
  return null;
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** How an act ended: `done`, `refused` or `failed`. */
export const outcomeOf = ({ status }) => (status < 400 ? "done" : status < 500 ? "refused" : "failed");
