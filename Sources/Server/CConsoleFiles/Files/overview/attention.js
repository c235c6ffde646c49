import { groupsOf } from "../requests/group.js";

/** Findings that need somebody, the worst first: `{key, values, to, isWorse}`, where `to` leads to the remedy. Pure. */

const DAY = 86_400_000;
/** A certificate and test rules are told of so many days before they end. */
const [CERTIFICATE_DAYS, LEAST_FREE, MOST_LAG, DENIALS] = [30, 1 << 30, 600, 5];

/**
 * The findings of what was asked for; what could not be asked is null.
 *
 * `value(name)` is the newest value of a metric, undefined without one.
 */
export function findings({ denials = null, indexes = [], value = () => undefined, certificate = null, jobs = null, mismatched = [] }, now) {
  const found = [];
  const add = (isTrue, isWorse, key, to, ...values) => isTrue && found.push({ key, values, to, isWorse });
  add(value("brasa_kv_background_errors") > 0, true, "background", ["operations", ["log"]]);
  add(value("brasa_damaged_reads_total") > 0, true, "damaged", ["operations", ["jobs"]]);
  add(value("brasa_kv_write_stopped") > 0, true, "stopped", ["operations"]);
  add(value("brasa_storage_free_bytes") < LEAST_FREE, true, "disk", ["operations"], value("brasa_storage_free_bytes"));
  add(value("brasa_backup_failing") > 0, true, "backupFails", ["operations", ["log"]]);
  add(value("brasa_backup_lag_seconds") > MOST_LAG, false, "backupLags", ["operations", ["log"]], value("brasa_backup_lag_seconds"));
  if (certificate) add(certificate.validUntil - now < CERTIFICATE_DAYS * DAY, certificate.validUntil < now, "certificate", ["operations"], certificate.validUntil);
  const failed = jobs?.find((one) => one.state === "failed" && now - (one.end ?? one.start ?? now) < DAY);
  add(failed, false, "job", ["operations", ["jobs"]], failed?.kind);
  for (const { count, method, shape } of groupsOf((denials ?? []).filter((one) => now - one.time < DAY)).sort((one, other) => other.count - one.count).slice(0, 3)) {
    add(count >= DENIALS, false, "denied", ["requests"], count, `${method} ${shape}`);
  }
  for (const { database, collection, count } of indexes.slice(0, 3)) add(true, false, "index", ["firestore", [database, "indexes"]], collection, count);
  for (const name of mismatched) add(true, false, "experiment", ["config", ["experiments", name]], name);
  return found.sort((one, other) => Number(other.isWorse) - Number(one.isWorse));
}

/** How many of the times were in each of `count` equal parts of the hour before `now`, the oldest first. */
export function inParts(times, now, count = 30, length = 3_600_000) {
  const parts = new Array(count).fill(0);
  for (const time of times) {
    const at = count - 1 - Math.floor((now - time) / (length / count));
    if (at >= 0 && at < count) parts[at] += 1;
  }
  return parts;
}
