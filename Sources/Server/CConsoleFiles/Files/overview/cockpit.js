import { isReadOnly } from "../base/access.js";
import { keep, kept } from "../base/memory.js";
import { runsOf, spark } from "../base/spark.js";
import { boxed, bytesText, call, consolePath, effect, h, hasService, icon, inScope, instant, link, muted, number, path, place, poll, projectPath, quiet, session, show, spread, stack, t } from "../base/ui.js";
import { callRates, joined, quantilesOf, valuesOf } from "../operations/model.js";
import { databases, firstDatabase } from "../shell/store.js";
import { findings, inParts } from "./attention.js";

const METRICS = [
  "brasa_calls_total", "brasa_http_requests_total", "brasa_call_duration_seconds_bucket", "brasa_listen_targets", "brasa_kv_table_bytes", "brasa_kv_background_errors",
  "brasa_damaged_reads_total", "brasa_kv_write_stopped", "brasa_storage_free_bytes", "brasa_backup_failing", "brasa_backup_lag_seconds",
];

/** The figures of the last hour and of the last days, the list of what needs somebody, and what somebody new does first. */
export function cockpit(project, connect) {
  const tiles = h("dl.tiles");
  const attention = h("section.panel.stack", { "aria-labelledby": "attention" });
  const known = { metrics: { names: [], samples: [] }, slow: {} };
  const draw = inScope(() => {
    show(tiles, tilesOf(known).map(tile));
    show(attention, h("h2", { id: "attention" }, t("overview.attention")), list(findings({ ...known.slow, denials: known.denials, value: newest(known.metrics) }, Date.now())));
  });
  const { problem } = poll(10_000, () => refresh(project, known), draw);
  ask(project).then((slow) => { known.slow = slow; draw(); });
  return [problem, tiles, h("div.columns-2", stack(attention, databaseList()), stack(firstSteps(connect), recent())), mode()];
}

// What is asked for

const has = (service) => hasService(service);
/** What cannot be asked is not shown. */
const orNull = (answer) => answer.catch(() => null);

/** Asks for what changes all the time; gives what tells the newest from what is shown. */
async function refresh(project, known) {
  const last = known.metrics.samples.at(-1)?.number ?? 0;
  const denials = call("GET", `${consolePath(project, "denials")}?after=0`);
  // The figures are those of the server, for those who administer all of it.
  const metrics = session.peek().role === null ? null : await orNull(call("GET", `/console/api/metrics?names=${METRICS.join()}&after=${last}`));
  if (metrics) known.metrics = joined(known.metrics, metrics);
  known.denials = (await denials).denials;
  return [known.metrics.samples.at(-1)?.number, known.denials.at(-1)?.number, Math.floor(Date.now() / 120_000)];
}

/** Asks once for what seldom changes. */
async function ask(project) {
  const { role } = session.peek();
  const analytics = has("analytics") ? orNull(call("GET", projectPath(project, "analytics", "users"))) : null;
  const experiments = has("remote config") ? orNull(call("GET", projectPath(project, "remoteConfig", "experiments"))) : null;
  // A page that came without TLS is of a port that has no certificate.
  const certificate = role === null || location.protocol === "http:" ? null : orNull(call("GET", "/console/api/certificate"));
  const jobs = role === "owner" ? orNull(call("GET", "/console/api/jobs")) : null;
  const asked = databases.peek().map(async (database) => ({ database, uses: await orNull(call("GET", consolePath(project, "databases", database, "index-uses"))) }));
  const indexes = (await Promise.all(asked)).flatMap(({ database, uses }) => (uses?.missing ?? []).map((one) => ({ database, collection: one.collection, count: one.count?.queries ?? one.queries ?? 1 })));
  return { users: await analytics, certificate: (await certificate)?.certificate ?? null, jobs: (await jobs)?.jobs ?? null, indexes,
    mismatched: ((await experiments)?.experiments ?? []).filter((one) => one.sampleRatioMismatch).map((one) => one.experimentId) };
}

/** The newest value of a metric by its name. */
function newest({ names, samples }) {
  const last = samples.at(-1);
  return (name) => { const index = names.indexOf(name); return last && index >= 0 ? last.values[index] : undefined; };
}

// Tiles

/** The mean of the last values that are known; null without any. */
function lately(values, count = 12) {
  const last = values.slice(-count).filter((value) => value !== null);
  return last.length === 0 ? null : last.reduce((sum, value) => sum + value, 0) / last.length;
}

/** The values as so many points at most, each the mean of its part; what is not known is as before it. */
function thinned(values, most = 60) {
  const length = Math.ceil(values.length / most);
  const points = [];
  for (let at = 0; at < values.length; at += length) points.push(lately(values.slice(at, at + length), length) ?? points.at(-1) ?? null);
  return points;
}

const tenth = (value) => number(Math.round(value * 10) / 10);

/** What the tiles say: `{key, text, values, note, to}`. */
function tilesOf({ metrics, denials = [], slow: { users } }) {
  const { names, samples } = metrics;
  const tiles = [];
  const add = (key, values, text, to, note = t("overview.hour")) => tiles.push({ key, values, text, to, note });
  if (samples.length > 1) {
    const rate = callRates(metrics);
    const time = quantilesOf(names, samples, "brasa_call_duration_seconds", 0.99).map((one) => (one === null ? null : one * 1_000));
    const listeners = valuesOf(metrics, "brasa_listen_targets");
    const size = valuesOf(metrics, "brasa_kv_table_bytes");
    add("requests", rate, tenth(lately(rate) ?? 0), ["operations"]);
    add("time", time, (thinned(time).at(-1) ?? null) === null ? "–" : `${tenth(thinned(time).at(-1))} ms`, ["operations"]);
    add("listeners", listeners, number(listeners.at(-1)), ["operations"]);
    add("disk", size, bytesText(size.at(-1)), ["operations"]);
  }
  const parts = inParts(denials.map((one) => one.time), Date.now());
  add("denied", parts, number(parts.reduce((sum, count) => sum + count, 0)), ["requests"]);
  if (users) add("users", users.days.map((one) => one.active), number(users.days.at(-1)?.active28 ?? 0), ["analytics"], t("overview.days"));
  return tiles;
}

const tile = ({ key, text, values, note, to }) => h("div.panel.card.tile", h("dt", h("a", { href: link(...to) }, t(`tile.${key}`))), h("dd", text), h("dd.note", runsOf(thinned(values)).some((run) => run.length > 1) ? spark(thinned(values)) : h("span.spark"), note));

// What needs somebody

/** How a value of a finding is written. */
const FORMATS = { disk: bytesText, backupLags: (seconds) => number(Math.round(seconds / 60)), certificate: instant };

const list = (found) => (found.length === 0 ? h("p.row.calm", icon("check"), t("overview.calm")) : h("ul.attention", found.map(({ key, values, to, isWorse }) => h("li", { class: isWorse ? "worse" : null },
  icon("warning"), h("span.grow", { dir: "auto" }, t(`attention.${key}`, ...values.map((value) => (FORMATS[key] ?? ((one) => one))(value)))), h("a.button", { href: link(...to) }, t(`remedy.${key}`))))));

/** What administrators did last, for owners of the server. */
function recent() {
  if (session.peek().mode === "development" || session.peek().role !== "owner") return null;
  const holder = h("section.panel.stack", { hidden: true });
  import("./recent.js").then(inScope(({ drawRecent }) => drawRecent(holder))).catch(() => {});
  return holder;
}

// First steps

/**
 * What somebody new does first, in this order: the address of each step, the service that it needs, and whether it is done.
 *
 * A database comes with rules, so those are done once they were published again.
 */
const STEPS = [
  { key: "database", to: ["firestore", ["-", "create"]], isDone: async () => databases.peek().length > 0 },
  // In development a database is made by who asks for it.
  { key: "document", to: ["firestore"], isDone: async (root) => databases.peek().length > 0 && (await call("POST", `${root}${path("databases", firstDatabase(), "documents")}:listCollectionIds`, { pageSize: 1 })).collectionIds?.length > 0 },
  { key: "rules", to: ["rules"], service: "rules", isDone: async (root) => (await call("GET", `${root}/rulesets?pageSize=2`)).rulesets?.length > 1 },
  { key: "app", to: ["settings"], service: "accounts", isDone: async (_, project) => (await call("GET", consolePath(project, "apps"))).apps.length > 0 },
  { key: "user", to: ["users"], service: "accounts", isDone: async (root) => (await call("GET", `${root}/accounts:batchGet?maxResults=1`)).users?.length > 0 },
  { key: "file", to: ["files"], service: "storage", isDone: async (_, project) => (await call("GET", `${path("storage", "v1", "b", `${project}.appspot.com`, "o")}?maxResults=1`)).items?.length > 0 },
];

/** The first steps in a project with the next one marked, until all are done or nobody wants to see them. */
function firstSteps(connect) {
  const { project } = place.peek();
  const setting = `steps.${project}`;
  if (kept(setting) || isReadOnly()) return null;
  const holder = h("section.panel.stack", { hidden: true });
  const hide = () => {
    keep(setting, "hidden");
    holder.remove();
  };
  const steps = STEPS.filter((step) => !step.service || has(step.service));
  // An app is registered by the wizard, which is on this page.
  const open = (key) => (event) => { if (key === "app") { event.preventDefault(); event.stopPropagation(); connect(); } };
  const draw = inScope((doneCount) => {
    if (doneCount === steps.length) return hide();
    holder.hidden = false;
    return show(holder, spread(h("h2", t("overview.steps")), quiet(t("overview.hideSteps"), hide)), h("ol.steps", steps.map(({ key, to }, index) =>
      h("li", { class: index < doneCount ? "done" : null, "aria-current": index === doneCount ? "step" : null }, h("span.step-mark", { "aria-hidden": true }, index < doneCount ? icon("check") : index + 1),
        h("a", { href: link(...to), onclick: open(key) }, t(`step.${key}`)), index < doneCount ? h("span.note", t("step.done")) : h("span.note", t(`step.${key}.text`))))));
  });
  countDone(steps, project).then(draw);
  return holder;
}

/** How many steps are done before the first that is not; those behind it are not asked for. */
async function countDone(steps, project) {
  const root = projectPath(project);
  for (const [index, step] of steps.entries()) {
    // What cannot be asked is not there yet, such as a database or a bucket.
    if (!(await step.isDone(root, project).catch(() => false))) return index;
  }
  return steps.length;
}

// This project and this server

function databaseList() {
  const holder = boxed();
  effect(() => {
    const rows = databases.value.map((id) => h("li", h("a", { href: link("firestore", [id, "data"]), class: "row" }, icon("data"), id)));
    show(holder, spread(h("h2", t("overview.databases")), h("a.button", { href: link("firestore", ["-", "create"]) }, icon("plus"), t("database.create"))),
      rows.length > 0 ? h("ul.stack.tight", rows) : muted(t("overview.noDatabase")));
  });
  return holder;
}

function mode() {
  const isDevelopment = session.peek().mode === "development";
  return stack(h("h2.hidden", t("overview.server")), h("p.note.row", icon(isDevelopment ? "warning" : "lock"), t(isDevelopment ? "development.explained" : "production.explained")));
}
