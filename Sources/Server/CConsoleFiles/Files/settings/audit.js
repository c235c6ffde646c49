import { csv } from "../base/csv.js";
import { button, call, code, complain, failure, field, h, inline, input, inScope, instant, keepFile, note, onCleanup, section, show, stateBadge, t, table, tableRow, toast } from "../base/ui.js";
import { isRead, outcomeOf, sentenceOf } from "./trail.js";

/** The audit trail, for owners: what administrators did, as sentences. */

const AUDIT = ["audit.when", "audit.who", "audit.what", "audit.outcome"];

/** Entries that are read at a time, the most of such reads that go to a file, and that are made for one look. */
const [AUDIT_PAGE, AUDIT_PAGES, LOOKS] = [100, 500, 10];

const auditPage = async (before, signal) => (await call("GET", `/console/api/audit${before ? `?before=${before}` : ""}`, undefined, { signal })).entries;

const textOf = (entry) => {
  const sentence = sentenceOf(entry);
  return sentence ? t(sentence.key, sentence.value) : `${entry.action} ${entry.target}`;
};

/** Whether somebody, an action, a target or the sentence has a text in it. */
const isAbout = (entry, text) => [entry.administrator, entry.address, entry.action, entry.target, textOf(entry), ...entry.subjects].join(" ").toLowerCase().includes(text.toLowerCase());

export function auditView() {
  const list = table(AUDIT, []);
  const none = h("p.muted", { role: "status" });
  const more = h("div");
  const filter = input("", { type: "search", oninput: () => draw() });
  const entries = [];
  const leaving = new AbortController();
  onCleanup(() => leaving.abort());
  const draw = () => {
    const found = entries.filter((entry) => isAbout(entry, filter.value.trim()));
    show(list.querySelector("tbody"), found.map((entry) => tableRow(AUDIT.map((key) => t(key)), auditCells(entry))));
    show(none, found.length > 0 ? null : entries.length === 0 ? t("audit.empty") : t(more.hasChildNodes() ? "audit.noneYet" : "audit.none"));
  };
  // Reads that older servers noted are passed over, however many there are between two changes.
  const load = inScope(async (before, looks = LOOKS) => {
    try {
      const found = await auditPage(before, leaving.signal);
      const changes = found.filter((entry) => !isRead(entry));
      entries.push(...changes);
      const isLast = found.length < AUDIT_PAGE;
      if (!isLast && changes.length < AUDIT_PAGE / 10 && looks > 1) return load(found.at(-1).number, looks - 1);
      show(more, isLast ? null : button(t("users.more"), () => load(found.at(-1).number)));
      return draw();
    } catch (error) {
      return show(more, failure(error));
    }
  });
  const save = async () => {
    try {
      const { found, isWhole } = await wholeAudit(filter.value.trim(), leaving.signal);
      if (!isWhole) toast(t("audit.cut", AUDIT_PAGE * AUDIT_PAGES));
      keepFile("audit.csv", csv([["number", "time", "administrator", "address", "action", "target", "status", "request", "digest", "subjects"],
        ...found.map((one) => [one.number, new Date(one.time).toISOString(), one.administrator, one.address, one.action, one.target, one.status, one.request, one.digest, one.subjects.join("; ")])]));
    } catch (error) {
      if (!leaving.signal.aborted) complain(error);
    }
  };
  load(null);
  return section(t("settings.audit"), note(t("settings.auditText")), inline(field("audit.filter", filter), button(t("audit.export"), save)), list, none, more);
}

/** The entries about a text, the newest first, and whether they are all: so many reads are made and no more. */
async function wholeAudit(text, signal) {
  const found = [];
  let before = null;
  for (let reads = 0; reads < AUDIT_PAGES; reads += 1) {
    const page = await auditPage(before, signal);
    found.push(...page.filter((entry) => isAbout(entry, text)));
    if (page.length < AUDIT_PAGE) return { found, isWhole: true };
    before = page.at(-1).number;
  }
  return { found, isWhole: false };
}

const OUTCOMES = { done: ["ok", "check"], refused: ["danger", "close"], failed: ["danger", "warning"] };

function auditCells(entry) {
  const outcome = outcomeOf(entry);
  const [tone, sign] = OUTCOMES[outcome];
  const isCall = entry.target.startsWith("/");
  const details = isCall ? h("details.note", h("summary", t("audit.call")), code(`${entry.action} ${entry.target}`), entry.subjects.map((one) => h("div", { dir: "auto" }, one))) : null;
  return [instant(entry.time), [entry.administrator || t("audit.machine"), entry.address ? h("div.note", entry.address) : null],
    [h("span", { dir: "auto" }, textOf(entry)), details], h("span", { title: entry.status }, stateBadge(tone, t(`audit.${outcome}`), sign))];
}
