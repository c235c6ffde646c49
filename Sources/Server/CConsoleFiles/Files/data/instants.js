/** Instants as the API writes them, to the microsecond. Pure. */

/** The instant a microsecond before another one. */
export function justBefore(text) {
  const [, seconds, fraction = ""] = /^(.+?)(?:\.(\d+))?Z$/.exec(text);
  const micros = BigInt(Date.parse(`${seconds}Z`)) * 1_000n + BigInt(fraction.padEnd(6, "0").slice(0, 6)) - 1n;
  const rest = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const whole = new Date(Number((micros - rest) / 1_000n)).toISOString().slice(0, 19);
  return `${whole}.${String(rest).padStart(6, "0")}Z`;
}

/** An instant as the control of a date and a time has it, in the browser's zone or in UTC: to the second. */
export function localText(text, isUTC) {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return "";
  const shown = isUTC ? date : new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shown.toISOString().slice(0, 19);
}

/** The instant that such a control means; what was there stays to the last digit where the second is the same. Null for none. */
export function instantFrom(local, isUTC, before = "") {
  const date = new Date(isUTC ? `${local}Z` : local);
  if (local === "" || Number.isNaN(date.getTime())) return null;
  const second = date.toISOString().slice(0, 19);
  const isSame = before !== "" && new Date(before).toISOString().slice(0, 19) === second;
  return isSame ? before : `${second}Z`;
}
