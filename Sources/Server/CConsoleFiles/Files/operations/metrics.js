import { chart } from "../base/chart.js";
import { bytesText, call, clock, h, icon, instant, loading, note, notice, number, polled, show, stack, t } from "../base/ui.js";
import { callRates, joined, quantilesOf, valuesOf } from "./model.js";

const NAMES = [
  "brasa_calls_total", "brasa_http_requests_total", "brasa_call_duration_seconds_bucket", "brasa_kv_group_durable_seconds_bucket", "brasa_listen_targets", "brasa_connections",
  "brasa_engine_jobs_waiting", "brasa_kv_table_bytes", "brasa_kv_background_errors", "brasa_damaged_reads_total", "brasa_kv_write_stopped",
];
const SHARES = { p50: 0.5, p95: 0.95, p99: 0.99 };
/** A certificate that ends within so many days is warned of. */
const WARNING_DAYS = 30;

/** The last hour, from what the server keeps in memory. */
export function metricsView() {
  const body = stack();
  let known = { names: [], samples: [] };
  const load = async () => {
    const last = known.samples.at(-1)?.number ?? 0;
    known = joined(known, await call("GET", `/console/api/metrics?names=${NAMES.join()}&after=${last}`));
    // One that began anew has lower numbers, so nothing comes: it is asked for all.
    if (last > 0 && known.samples.at(-1)?.number === last) known = joined({ names: [], samples: [] }, await call("GET", `/console/api/metrics?names=${NAMES.join()}`));
    return known.samples.at(-1)?.time;
  };
  return polled("operations.metricsText", 5_000, load, () => show(body, draw(known)), certificate(), body);
}

function draw(known) {
  const { names, samples } = known;
  // Below ten minutes one minute has many samples.
  const isShort = samples.length < 120;
  const time = clock(isShort ? { second: "2-digit" } : {});
  const labels = samples.map((sample) => time.format(sample.time));
  const gauge = (name) => valuesOf(known, name);
  const quantiles = (base) => Object.entries(SHARES).map(([name, share]) => ({ name, values: quantilesOf(names, samples, base, share).map((one) => (one === null ? null : one * 1_000)) }));
  const tenths = { format: (one) => number(Math.round(one * 10) / 10) };
  const milliseconds = { format: (one) => `${number(Math.round(one * 100) / 100)} ms` };
  return [samples.length > 0 ? health(gauge) : null, h("div.charts",
    panel(t("operations.requests"), labels, [{ name: t("operations.requests"), values: callRates(known) }], tenths), panel(t("operations.latency"), labels, quantiles("brasa_call_duration_seconds"), milliseconds),
    panel(t("operations.durable"), labels, quantiles("brasa_kv_group_durable_seconds"), milliseconds),
    panel(t("operations.listeners"), labels, [{ name: t("operations.listeners"), values: gauge("brasa_listen_targets") }, { name: t("operations.connections"), values: gauge("brasa_connections") }]),
    panel(t("operations.waiting"), labels, [{ name: t("operations.waiting"), values: gauge("brasa_engine_jobs_waiting") }]),
    panel(t("operations.disk"), labels, [{ name: t("operations.disk"), values: gauge("brasa_kv_table_bytes") }], { format: bytesText }))];
}

const panel = (...parts) => h("section.panel", chart(...parts));

/** What needs somebody, if anything does. */
function health(gauge) {
  const wrong = [["brasa_kv_background_errors", "operations.backgroundErrors"], ["brasa_damaged_reads_total", "operations.damagedReads"], ["brasa_kv_write_stopped", "operations.writesStopped"]].filter(([name]) => gauge(name).at(-1) > 0);
  return wrong.length > 0 ? wrong.map(([, key]) => notice("danger", t(key))) : h("p.row", icon("check"), t("operations.healthy"));
}

const certificate = () => loading(call("GET", "/console/api/certificate"), ({ certificate: found }) => {
  if (!found) return note(t("operations.noCertificate"));
  const text = t("operations.certificate", found.subject, instant(found.validUntil));
  return found.validUntil - Date.now() < WARNING_DAYS * 86_400_000 ? notice("danger", text) : note(text);
});
