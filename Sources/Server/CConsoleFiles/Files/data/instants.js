/** Instants as the API writes them, to the microsecond. Pure. */

/** The instant a microsecond before another one. */
export function justBefore(text) {
  const [, seconds, fraction = ""] = /^(.+?)(?:\.(\d+))?Z$/.exec(text);
  const micros = BigInt(Date.parse(`${seconds}Z`)) * 1_000n + BigInt(fraction.padEnd(6, "0").slice(0, 6)) - 1n;
  const rest = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const whole = new Date(Number((micros - rest) / 1_000n)).toISOString().slice(0, 19);
  return `${whole}.${String(rest).padStart(6, "0")}Z`;
}
