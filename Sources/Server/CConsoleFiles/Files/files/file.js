import { button, bytesText, confirm, explain, field, h, icon, inline, input, instant, keepFile, note, onCleanup, pairs, problemLine, show, spread, submit, t, textIn, toast } from "../base/ui.js";
import { downloadLinks } from "./downloadLinks.js";
import { previewOf } from "./sniff.js";
import { changesOf, download, remove, rename, tokensOf, update } from "./store.js";

const MOST_PREVIEWED = 20 << 20;
const MOST_TEXT = 200_000;

/** One file: what it shows, its metadata, and what can be done with it. */
export function fileForm(bucket, file, close) {
  const controls = { name: input(file.name), contentType: input(file.contentType), cacheControl: input(file.cacheControl), contentDisposition: input(file.contentDisposition) };
  const metadata = pairs(tokensOf(file).metadata, t("files.metadata"));
  const problem = problemLine();
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
    const changes = changesOf(file, { ...Object.fromEntries(Object.entries(controls).map(([name, control]) => [name, textIn(control, file[name])])), metadata: tokensOf(file).withTokens(metadata.read()) });
    const current = Object.keys(changes).length > 0 ? await update(bucket, file, changes) : file;
    const name = textIn(controls.name, file.name);
    if (name !== file.name) await rename(bucket, current, name);
  }, t("files.saved"));
  const destroy = async () => {
    if (await confirm(t("files.delete", 1), t("files.deleteText"), t("files.delete", 1))) act(() => remove(bucket, file), t("files.deleted", 1));
  };
  const labels = { name: "name", contentType: "type", cacheControl: "files.cacheControl", contentDisposition: "files.contentDisposition" };
  return [
    preview(bucket, file),
    note([bytesText(file.size), instant(file.updated), file.md5Hash ? `MD5 ${file.md5Hash}` : null].filter(Boolean).join(" · ")),
    Object.entries(controls).map(([name, control]) => field(labels[name], control)), metadata.element,
    downloadLinks(bucket, file, (text) => show(problem, text)), problem,
    spread(
      inline(button([icon("trash"), t("delete")], destroy, { class: "danger", writes: true }), button(t("files.download"), () => fetchFile(bucket, file, problem))),
      inline(button(t("cancel"), () => close(null)), submit(t("save"), { onclick: save, writes: true }))),
  ];
}

/** Has the browser keep a file, under its name. */
async function fetchFile(bucket, file, problem) {
  try {
    keepFile(file.name.split("/").pop() || "file", (await download(bucket, file.name)).blob);
  } catch (error) {
    show(problem, explain(error));
  }
}

function preview(bucket, file) {
  const holder = h("div.preview");
  if (Number(file.size) > MOST_PREVIEWED || Number(file.size) === 0) return null;
  const stop = new AbortController();
  let address = null;
  onCleanup(() => {
    stop.abort();
    if (address) URL.revokeObjectURL(address);
  });
  download(bucket, file.name, { signal: stop.signal }).then(async ({ blob, type }) => {
    const kind = previewOf(type);
    if (kind === "text") return show(holder, h("pre", { tabindex: 0, "aria-label": t("messages.preview") }, (await blob.slice(0, MOST_TEXT).text())));
    if (!kind || stop.signal.aborted) return undefined;
    address = URL.createObjectURL(new Blob([blob], { type }));
    if (kind === "image") return show(holder, h("img", { src: address, alt: t("messages.preview") }));
    return show(holder, h(kind, { src: address, controls: true, "aria-label": t("messages.preview") }));
  }, () => {});
  return holder;
}
