import { call, h, icon, instant, link, loadTexts, show, spread, t } from "../base/ui.js";
import { isRead, sentenceOf } from "../settings/trail.js";

/** Sentences about what administrators did last. */

const SHOWN = 5;

/** Shows the newest entries of the audit trail in a section, which stays hidden without any. */
export async function drawRecent(holder) {
  const [{ entries }] = await Promise.all([call("GET", "/console/api/audit"), loadTexts("settings")]);
  const shown = entries.filter((entry) => !isRead(entry)).slice(0, SHOWN);
  holder.hidden = shown.length === 0;
  show(holder, spread(h("h2", t("overview.recent")), h("a.button.quiet", { href: link("settings", ["audit"]) }, t("overview.all"), icon("chevron"))), h("ul.stack", shown.map((entry) => {
    const sentence = sentenceOf(entry);
    return h("li", h("b", { dir: "auto" }, entry.administrator || t("audit.machine")), " ", h("span", { dir: "auto" }, sentence ? t(sentence.key, sentence.value) : `${entry.action} ${entry.target}`), h("div.note", instant(entry.time)));
  })));
}
