import { confirm, explain, toast } from "../base/dialog.js";
import { h, icon, iconButton, show } from "../base/dom.js";
import { instant, t } from "../base/i18n.js";
import { onCleanup } from "../base/signal.js";
import { bytesText } from "./page.js";
import { previewOf } from "./sniff.js";
import { changesOf, download, remove, rename, update } from "./store.js";

const MOST_PREVIEWED = 20 << 20;
const MOST_TEXT = 200_000;

/** One file: what it shows, its metadata, and what can be done with it. */
export function fileForm(bucket, file, close) {
  const text = (value, properties = {}) => h("input", { type: "text", value: value ?? "", autocomplete: "off", ...properties });
  const controls = { name: text(file.name), contentType: text(file.contentType), cacheControl: text(file.cacheControl), contentDisposition: text(file.contentDisposition) };
  const pairs = pairEditor(file.metadata ?? {});
  const problem = h("p", { class: "error", role: "alert" });
  const act = async (work, said) => {
    try {
      await work();
      toast(said);
      close(true);
    } catch (error) {
      show(problem, error.status === 412 ? t("files.changed") : explain(error));
    }
  };
  const save = () => act(async () => {
    const changes = changesOf(file, { ...Object.fromEntries(Object.entries(controls).map(([name, control]) => [name, control.value])), metadata: pairs.read() });
    const current = Object.keys(changes).length > 0 ? await update(bucket, file, changes) : file;
    if (controls.name.value !== file.name) await rename(bucket, current, controls.name.value);
  }, t("files.saved"));
  const destroy = async () => {
    if (await confirm(t("files.delete", 1), t("files.deleteText"), t("files.delete", 1))) act(() => remove(bucket, file), t("files.deleted", 1));
  };
  const labels = { name: "files.name", contentType: "files.type", cacheControl: "files.cacheControl", contentDisposition: "files.contentDisposition" };
  return [
    preview(bucket, file),
    h("p", { class: "note" }, [bytesText(file.size), instant(file.updated), file.md5Hash ? `MD5 ${file.md5Hash}` : null].filter(Boolean).join(" · ")),
    Object.entries(controls).map(([name, control]) => h("label", { class: "field" }, t(labels[name]), control)), pairs.element, problem,
    h("div", { class: "spread" },
      h("div", { class: "row" }, h("button", { type: "button", class: "danger", onclick: destroy }, icon("trash"), t("delete")), h("button", { type: "button", onclick: () => keepFile(bucket, file, problem) }, t("files.download"))),
      h("div", { class: "row" }, h("button", { type: "button", onclick: () => close(null) }, t("cancel")), h("button", { type: "submit", class: "primary", onclick: save }, t("save")))),
  ];
}

/** Has the browser keep a file, under its name; it is never opened as a page of this origin. */
async function keepFile(bucket, file, problem) {
  try {
    const { blob } = await download(bucket, file.name);
    const address = URL.createObjectURL(new Blob([blob], { type: "application/octet-stream" }));
    h("a", { href: address, download: file.name.split("/").pop() || "file" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  } catch (error) {
    show(problem, explain(error));
  }
}

function preview(bucket, file) {
  const holder = h("div", { class: "preview" });
  if (Number(file.size) > MOST_PREVIEWED || Number(file.size) === 0) return null;
  const stop = new AbortController();
  let address = null;
  onCleanup(() => {
    stop.abort();
    if (address) URL.revokeObjectURL(address);
  });
  download(bucket, file.name, { signal: stop.signal }).then(async ({ blob, type }) => {
    const kind = previewOf(type);
    if (kind === "text") return show(holder, h("pre", { tabindex: 0, "aria-label": t("files.preview") }, (await blob.slice(0, MOST_TEXT).text())));
    if (!kind || stop.signal.aborted) return undefined;
    address = URL.createObjectURL(new Blob([blob], { type }));
    if (kind === "image") return show(holder, h("img", { src: address, alt: t("files.preview") }));
    return show(holder, h(kind, { src: address, controls: true, "aria-label": t("files.preview") }));
  }, () => {});
  return holder;
}

/** Custom metadata: names with texts. */
function pairEditor(initial) {
  const rows = h("div", { class: "stack" });
  const add = (name = "", value = "") => {
    const row = h("div", { class: "row pair" }, h("input", { type: "text", value: name, "aria-label": t("files.metadataName") }), h("input", { type: "text", value, "aria-label": t("files.metadataValue") }));
    row.append(iconButton("trash", t("files.metadataRemove"), () => row.remove()));
    rows.append(row);
  };
  for (const [name, value] of Object.entries(initial)) add(name, value);
  const read = () => Object.fromEntries([...rows.children].map((row) => [...row.querySelectorAll("input")].map((input) => input.value)).filter(([name]) => name !== ""));
  const element = h("fieldset", { class: "stack" }, h("legend", {}, t("files.metadata")), rows, h("div", {}, h("button", { type: "button", onclick: () => add() }, icon("plus"), t("files.metadataAdd"))));
  return { element, read };
}
