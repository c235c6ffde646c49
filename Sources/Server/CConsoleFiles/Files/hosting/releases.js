import { ago, copyable, teaching } from "../base/teaching.js";
import { button, bytesText, confirmed, field, h, inline, lead, loading, note, place, select, show, stack, stateBadge, t, table } from "../base/ui.js";
import { idOf, versionOf } from "./model.js";
import { releasesOf, rollBack } from "./store.js";

/** What a channel showed, the newest first, and the way back. */
export function releasesView({ site, channels, reload }) {
  const body = stack();
  let channel = "live";
  const draw = () => show(body, loading(releasesOf(site, channel), (releases) => (releases.length === 0 ? nothing(channel) : list(releases))));
  const list = (releases) => stack(table(["hosting.version", "hosting.released", "hosting.by", "hosting.files", "hosting.note", null], releases.map((release, index) => [
    inline(h("code", versionOf(release) ?? "–"), index === 0 ? stateBadge("ok", t("hosting.shown")) : null, release.type === "DEPLOY" ? null : h("span.note", t(`release.${release.type}`))),
    ago(release.releaseTime), release.releaseUser?.email || "–", release.version?.fileCount ? t("hosting.filesText", Number(release.version.fileCount), bytesText(Number(release.version.versionBytes ?? 0))) : "–", release.message,
    canReturn(release, releases[0], index) ? inline(button(t("hosting.rollBack"), () => back(release), { writes: true, label: t("hosting.rollBackTo", versionOf(release)) })) : null])));
  const back = async (release) => {
    await confirmed(t("hosting.rollBack"), t("hosting.rollBackText", idOf(site), versionOf(release)), () => rollBack(site, channel, release), t("hosting.rolledBack", versionOf(release)));
    reload();
  };
  draw();
  const choice = channels.length > 1 ? field("hosting.channel", select(channels.map((one) => [idOf(one), idOf(one)]), channel, { onchange: ({ target }) => { channel = target.value; draw(); } })) : null;
  return stack(lead("hosting.releasesText", choice), body);
}

/** Whether a release's version can be shown again: there is one, and it is not what is shown now. */
const canReturn = (release, current, index) => index > 0 && Boolean(release.version?.status === undefined ? release.version : release.version.status === "FINALIZED") && release.version?.name !== current.version?.name;

function nothing(channel) {
  const { project } = place.peek();
  const more = channel === "live" ? "" : ` --channel ${channel}`;
  return teaching("hosting", t("hosting.none"), t("hosting.noneText"), copyable(`brasa hosting deploy --project ${project}${more}`), note(t("hosting.noneFirebase")), copyable(`brasa firebase --project ${project} -- deploy --only hosting`));
}
