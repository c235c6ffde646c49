/** The release under which a database's rules are in force. Pure. */
export function releaseName(database) {
  return database === "(default)" ? "cloud.firestore" : `cloud.firestore/${database}`;
}
