import { blank, button, bytesText, call, complain, dialog, field, form, h, inline, input, instant, loading, note, number, path, place, poll, select, show, spread, stack, t, tableOr, textOr } from "../base/ui.js";
import { databases, firstDatabase } from "../shell/store.js";

const root = "/console/api/jobs";

/** What each kind of data is called: mostly as its page. */
const KINDS = { documents: "documents", accounts: "page.users", storage: "page.files", rules: "page.rules", messages: "page.messages", config: "page.config", analytics: "page.analytics" };

/** Verifying, exporting and importing: one after the other, with what each found. */
export function jobsView() {
  const body = stack();
  const exports = h("div");
  const state = { kinds: [], done: -1 };
  const load = () => call("GET", root);
  const draw = ({ jobs, kinds }) => {
    state.kinds = kinds;
    show(body, jobs.length === 0 ? blank("operations", t("operations.noJob")) : jobs.map(jobView));
    const done = jobs.filter((job) => job.state === "done").length;
    if (done !== state.done) show(exports, exportList(state));
    state.done = done;
  };
  const { problem } = poll(1_000, load, draw);
  const ask = (title, make) => () => dialog(title, (close) => make(close, state.kinds));
  return stack(note(t("operations.jobsText")),
    inline(button(t("operations.verify"), ask(t("operations.verify"), verifyForm), { writes: true }), button(t("operations.export"), ask(t("operations.export"), (close, kinds) => transferForm("export", kinds, `${place.peek().project}-${new Date().toISOString().slice(0, 10)}`, close)), { writes: true })),
    problem, body, h("h2", t("operations.exports")), exports);
}

const isOpen = (state) => ["waiting", "running", "cancelling"].includes(state);

function jobView(job) {
  const cancel = () => call("DELETE", root + path(String(job.number))).catch(complain);
  const { done, total, unit } = job.progress ?? {};
  return h("section.panel.stack.tight",
    spread(h("h2", t(`operations.${job.kind}`), " ", h("span.mono", { dir: "auto" }, job.target)), h("span.badge", t(`jobState.${job.state}`)),
      isOpen(job.state) ? button(t("cancel"), cancel, { writes: true }) : null),
    isOpen(job.state) && job.progress ? inline(h("progress", { max: total ?? undefined, value: total === null ? undefined : done, label: t(`operations.${job.kind}`) }), unit === "byte" ? bytesText(done) : `${number(done)} ${textOr(`unit.${unit.replace(/s$/, "")}`, unit)}`) : null,
    note(instant(job.time), job.ended ? ` – ${instant(job.ended)}` : ""), job.summary ? h("p", { dir: "auto" }, job.summary) : null,
    job.differenceCount > 0 ? h("details", h("summary", t("operations.differences", job.differenceCount)), h("pre", job.differences.join("\n"))) : null);
}

const start = (body) => call("POST", root, body);

function verifyForm(close) {
  const sample = input("", { type: "number", min: 1 });
  return form(close, t("operations.verify"), () => start({ kind: "verify", sample: sample.value }), h("p", t("operations.verifyText")), field("operations.sample", sample));
}

/** What is exported, or read back from an export. */
function transferForm(kind, kinds, name, close) {
  const isImport = kind === "import";
  const folder = input(name, { readonly: isImport });
  const database = isImport ? input(firstDatabase()) : select(databases.peek(), firstDatabase());
  const boxes = kinds.map((one) => h("input", { type: "checkbox", value: one, checked: one === "documents" }));
  const save = () => start({ kind, project: place.peek().project, database: database.value.trim(), name: folder.value.trim(), kinds: boxes.filter((box) => box.checked).map((box) => box.value).join() });
  return form(close, t(`operations.${kind}`), save, field("name", folder), field("database", database), h("fieldset.stack.tight", h("legend", t("operations.kinds")), boxes.map((box) => h("label.row", box, textOr(KINDS[box.value], box.value)))),
    note(t(isImport ? "operations.importText" : "operations.exportText")));
}

const exportList = ({ kinds }) => loading(call("GET", "/console/api/exports"), ({ exports }) => tableOr("operations.noExport", ["name", "files.size", "files.updated", null], exports.map((one) => [
  h("code", one.name), bytesText(one.bytes), instant(one.time), button(t("operations.import"), () => dialog(t("operations.import"), (close) => transferForm("import", kinds, one.name, close)), { writes: true })])));
