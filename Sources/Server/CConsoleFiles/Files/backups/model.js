/** The backup as the page shows it. Pure. */

/** Seconds behind which the backup is behind, as `/healthz` has it. */
const LATE_SECONDS = 60;
const HOUR = 3_600_000;
/** A proof may be so many hours late: it takes a while, and waits for a base. */
const GRACE_HOURS = 72;

/** How the backup fares: `danger` where it fails, `warn` where it is behind or its proof is late, else `ok`; with the key of the text that says so. */
export function stateOf({ failure, lagSeconds, base, proof, proofFailure, proofHours }, now) {
  if (failure) return { tone: "danger", key: "backups.fails" };
  if (proofFailure) return { tone: "danger", key: "backups.proofFails" };
  if (base === null) return { tone: "warn", key: "backups.begins" };
  if (lagSeconds > LATE_SECONDS) return { tone: "warn", key: "backups.late" };
  if (proof && proofHours > 0 && now - proof.time > (proofHours + GRACE_HOURS) * HOUR) return { tone: "warn", key: "backups.unproven" };
  return { tone: "ok", key: "backups.well" };
}

/** A word of a shell, in quotes where it needs them. */
export const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** The commands that bring an instant back; everything where none is chosen. */
export function restoreCommands({ target, encrypted }, instant) {
  const key = encrypted ? " --backup-key backup.key" : "";
  const at = instant ? ` --at ${instant}` : "";
  return `brasa restore --from ${quoted(target)}${key} --to restored${at}`;
}

/** The commands that bring one database of it back beside the one that is there. */
export const databaseCommands = (project) => [`brasa export copy --project ${project} --data restored`, `brasa databases create restored --project ${project} --data data`, `brasa import copy --project ${project} --database restored --data data`].join("\n");
