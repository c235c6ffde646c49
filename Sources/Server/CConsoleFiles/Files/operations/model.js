/** Figures of the server, as pages show them. Pure. */

/** How much counters grow in a second, between each sample and the one before; null at the first, and where the server began anew. */
export const rates = (samples, valueOf) => samples.map((sample, at) => {
  if (at === 0) return null;
  const before = samples[at - 1];
  const growth = valueOf(sample) - valueOf(before);
  return growth < 0 || sample.time <= before.time ? null : (growth * 1_000) / (sample.time - before.time);
});

/** The values of a metric by its name; zeros where the server has none of it. */
export const valuesOf = ({ names, samples }, name) => samples.map((sample) => sample.values[names.indexOf(name)] ?? 0);

/** Calls a second, over gRPC and HTTP. */
export function callRates({ names, samples }) {
  const indexes = ["brasa_calls_total", "brasa_http_requests_total"].map((name) => names.indexOf(name));
  return rates(samples, (sample) => indexes.reduce((sum, index) => sum + (sample.values[index] ?? 0), 0));
}

/** The value below which a share of a histogram's observations is: `buckets` are `[bound, count up to it]` by bound; null without any. */
export function quantile(buckets, share) {
  const all = buckets.at(-1)?.[1] ?? 0;
  if (all <= 0) return null;
  const at = buckets.findIndex(([, count]) => count >= share * all);
  const [bound, count] = buckets[at];
  const [low, before] = at === 0 ? [0, 0] : buckets[at - 1];
  if (!Number.isFinite(bound)) return low;
  return low + (bound - low) * ((share * all - before) / (count - before));
}

/** The quantiles of a histogram between each sample and the one before. */
export function quantilesOf(names, samples, base, share) {
  const columns = names.map((name, index) => [name.split("|"), index]).filter(([[name]]) => name === `${base}_bucket`)
    .map(([[, bound], index]) => [bound === "+Inf" ? Infinity : Number(bound), index]).sort(([one], [other]) => one - other);
  return samples.map((sample, at) => {
    if (at === 0) return null;
    const buckets = columns.map(([bound, index]) => [bound, sample.values[index] - samples[at - 1].values[index]]);
    return buckets.some(([, count]) => count < 0) ? null : quantile(buckets, share);
  });
}

/** Samples and what came behind them, an hour at most; a server that began anew counts from one again. */
export function joined(old, { names, samples }) {
  const isSame = old.names.join() === names.join();
  return { names, samples: [...(isSame ? old.samples : []), ...samples].slice(-720) };
}

/** The level of a line of the log. */
export const levelOf = (line) => /^\S+ (\w+)/.exec(line)?.[1] ?? "";
