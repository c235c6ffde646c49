/** What rules are for: a database or a bucket of Storage, in addresses and releases. Pure. */

/** What stands in an address before a bucket; no database has such a name. */
const STORAGE = "-storage-";

/** The release under which a database's rules are in force. */
export const releaseName = (database) => (database === "(default)" ? "cloud.firestore" : `cloud.firestore/${database}`);

/** What an address names, `{database}` or `{bucket}`; without anything the given database. */
export const targetOf = (rest, first) => (rest[0] === STORAGE && rest[1] ? { bucket: rest[1] } : { database: rest[0] ?? first });

/** The service whose rules a target has. */
export const serviceOf = ({ bucket }) => (bucket ? "firebase.storage" : "cloud.firestore");

/** Whether a source has rules for a service, comments aside. */
export const declares = (source, service) => new RegExp(`\\bservice\\s+${service.replace(".", "\\.")}\\s*\\{`).test(source.replace(/\/\*[^]*?\*\/|\/\/[^\n]*/g, " "));

/** Whether an issue keeps rules from being published. */
export const isError = ({ severity }) => severity === "ERROR";

/** The part of an address that names a target. */
export const restOf = ({ database, bucket }) => (bucket ? [STORAGE, bucket] : [database]);

/** The release under which a target's rules are in force. */
export const releaseOf = ({ database, bucket }) => (bucket ? `firebase.storage/${bucket}` : releaseName(database));

/** Rules of a service that say one condition of everything below a path. */
const rulesOf = (service, root, rest, condition) =>
  ["rules_version = '2';", "", `service ${service} {`, `  match ${root} {`, `    match /{${rest}=**} {`, `      allow read, write: if ${condition};`, "    }", "  }", "}", ""].join("\n");

/** The rules that a bucket begins with: nobody reads or writes. */
export const CLOSED_STORAGE = rulesOf("firebase.storage", "/b/{bucket}/o", "path", "false");

export const TEST_DAYS = 30;

/** The rules that a database begins with: nobody, or everybody until a day. Pure. */
export function initialRules(mode, now) {
  const end = new Date(now.getTime() + TEST_DAYS * 86_400_000);
  const day = `timestamp.date(${end.getUTCFullYear()}, ${end.getUTCMonth() + 1}, ${end.getUTCDate()})`;
  return rulesOf("cloud.firestore", "/databases/{database}/documents", "document", mode === "test" ? `request.time < ${day}` : "false");
}
