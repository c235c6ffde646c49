import { chart } from "../base/chart.js";
import { ago, copyable, durationText, figures, teaching } from "../base/teaching.js";
import { boxed, bytesText, call, clock, facts, field, h, input, instant, note, notice, number, place, polled, show, stack, stateBadge, t } from "../base/ui.js";
import { databaseCommands, quoted, restoreCommands, stateOf } from "./model.js";

/** The backup of the server: how far it is behind, what it holds, when it was proven, and how to restore. */

const LAG = "brasa_backup_lag_seconds";

export function page() {
  const body = h("div.sections");
  const parts = { top: stack(), restore: null };
  const load = async () => ({ ...(await call("GET", "/console/api/backup")), ...(await lagOf()), minute: Math.floor(Date.now() / 60_000) });
  const draw = ({ backup, samples }) => {
    if (!backup) return show(body, none());
    // What somebody types below stays while the figures above follow.
    if (!parts.restore) show(body, parts.top, (parts.restore = restoreView(backup)));
    return show(parts.top, overview(backup, samples));
  };
  return h("div.body", h("h1", t("page.backups")), polled("backups.text", 5_000, load, draw, body));
}

/** The lag of the last hour, one value a minute. */
async function lagOf() {
  const { names, samples } = await call("GET", `/console/api/metrics?names=${LAG}`);
  if (names.length === 0) return { samples: [] };
  const minutes = new Map();
  for (const { time, values } of samples) {
    const minute = Math.floor(time / 60_000);
    minutes.set(minute, Math.max(minutes.get(minute) ?? 0, values[0]));
  }
  return { samples: [...minutes] };
}

const none = () => teaching("backups", t("backups.none"), t("backups.noneText"), copyable("brasa backup key > backup.key\nbrasa serve --backup /backup/shop --backup-key backup.key"), note(t("backups.noneTarget")));

function overview(backup, samples) {
  const { tone, key } = stateOf(backup, Date.now());
  const time = clock();
  return [
    tone === "ok" ? h("p.row", stateBadge(tone, t(key))) : notice(tone, t(key), backup.failure || backup.proofFailure ? h("span.mono.why", ` ${backup.failure ?? backup.proofFailure}`) : null),
    figures([t("backups.lag"), durationText(backup.lagSeconds * 1_000), tone === "ok" ? "" : tone], [t("backups.delay"), durationText(backup.delaySecondsP99 * 1_000)], [t("backups.proof"), backup.proof ? ago(backup.proof.time) : t("backups.never")], [t("backups.segment"), number(backup.segment)], [t("backups.shipped"), bytesText(backup.shippedBytes)]),
    samples.length > 1 ? h("section.panel", chart(t("backups.lagHour"), samples.map(([minute]) => time.format(minute * 60_000)), [{ name: t("backups.lag"), values: samples.map(([, seconds]) => seconds * 1_000) }], { format: durationText })) : null,
    boxed(h("h2", t("backups.holds")), facts(...factsOf(backup))),
  ];
}

const factsOf = (backup) => [
  ["backups.target", h("code", { dir: "ltr" }, backup.target)], ["backups.encryption", t(backup.encrypted ? "backups.encrypted" : "backups.plain")], ["backups.retention", t("backups.days", backup.days)],
  ["backups.base", backup.base === null ? t("backups.noBase") : momentOf(backup.base)], ...(backup.earliest ? [["backups.oldest", instant(backup.earliest)]] : []),
  ["backups.proven", backup.proof ? momentOf(backup.proof) : t("backups.notProven")], ["backups.segments", t("backups.segmentsText", backup.shippedSegments)],
];

const momentOf = ({ base, time }) => [t("backups.number", base), ", ", instant(time)];

/** The commands of a restore, which follow the instant that somebody chooses. */
function restoreView(backup) {
  const commands = h("div");
  const at = input("", { type: "datetime-local", step: 1, oninput: () => draw() });
  const draw = () => show(commands, copyable(restoreCommands(backup, at.value ? new Date(at.value).toISOString().replace(".000", "") : ""), t("backups.command")));
  draw();
  const { project } = place.peek();
  return boxed(h("h2", t("backups.restore")), note(t("backups.restoreText")), h("div.row.period", field("backups.at", at)), commands,
    h("h3", t("backups.database")), note(t("backups.databaseText")), copyable(databaseCommands(project), t("backups.commands")), h("h3", t("backups.prove")), note(t("backups.proveText")), copyable(`brasa backup verify --from ${quoted(backup.target)}${backup.encrypted ? " --backup-key backup.key" : ""}`));
}
