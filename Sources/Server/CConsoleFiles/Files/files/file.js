import { copyable } from "../base/teaching.js";
import { boxed, button, bytesText, code, confirm, explain, facts, failure, field, go, guardEdits, h, headOf, icon, input, inScope, instant, keepFile, muted, onCleanup, pairs, place, problemLine, show, stack, submit, t, textIn, textsIn, toast } from "../base/ui.js";
import { breadcrumbs } from "./crumbs.js";
import { downloadLinks } from "./downloadLinks.js";
import { previewOf } from "./sniff.js";
import { changesOf, download, get, remove, rename, tokensOf, update } from "./store.js";

const MOST_PREVIEWED = 20 << 20;
const MOST_TEXT = 200_000;

/** One file: what it shows, its metadata, and what can be done with it. */
export function fileView(project, bucket, name) {
  const holder = stack(muted(t("loading")));
  const { prefix = "" } = place.peek().query;
  const way = breadcrumbs(bucket, prefix, false);
  const open = (file, folder = prefix) => go({ project, area: "files", rest: [bucket], query: { prefix: folder, file } }, { replace: true });
  const load = () => get(bucket, name).then(inScope((file) => show(holder, content(bucket, file, way, { load, open }))), inScope((error) => show(holder, way, failure(error))));
  load();
  return holder;
}

function content(bucket, file, way, { load, open }) {
  const problem = problemLine();
  const whileShown = inScope((act) => act());
  const act = async (work, said, next) => {
    try {
      show(problem);
      await work();
      release();
      toast(said);
      whileShown(next);
    } catch (error) {
      show(problem, error.status === 412 ? t("files.changed") : explain(error));
    }
  };
  const form = editForm(file, problem, (changes, name) => act(async () => {
    const current = Object.keys(changes).length > 0 ? await update(bucket, file, changes) : file;
    if (name !== file.name) await rename(bucket, current, name);
  }, t("files.saved"), name === file.name ? load : () => open(name, name.slice(0, name.lastIndexOf("/") + 1))));
  const release = guardEdits(form);
  const destroy = async () => {
    if (await confirm(t("files.delete", 1), t("files.deleteText"), t("files.delete", 1))) act(() => remove(bucket, file), t("files.deleted", 1), () => open(""));
  };
  return [
    headOf(way, file.name.split("/").filter(Boolean).at(-1) ?? file.name, button(t("files.download"), () => fetchFile(bucket, file, problem)), button([icon("trash"), t("delete")], destroy, { class: "danger", writes: true })),
    h("div.columns-2", stack(
      boxed(preview(bucket, file), facts(["files.size", bytesText(file.size)], ["type", file.contentType], ["files.updated", instant(file.updated)], ["files.path", copyable(`gs://${bucket}/${file.name}`)], ["files.digest", file.md5Hash && code(file.md5Hash)])),
      boxed(downloadLinks(bucket, file, (text) => show(problem, text)))), form)];
}

function editForm(file, problem, save) {
  const controls = { name: input(file.name), contentType: input(file.contentType), cacheControl: input(file.cacheControl), contentDisposition: input(file.contentDisposition) };
  const metadata = pairs(tokensOf(file).metadata, t("files.metadata"));
  const labels = { name: "name", contentType: "type", cacheControl: "files.cacheControl", contentDisposition: "files.contentDisposition" };
  const send = () => save(changesOf(file, { ...textsIn(controls, file), metadata: tokensOf(file).withTokens(metadata.read()) }), textIn(controls.name, file.name));
  return h("form.panel.stack", { onsubmit: send }, Object.entries(controls).map(([name, control]) => field(labels[name], control)), metadata.element, problem, h("div", submit(t("save"), { writes: true })));
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
    if (kind === "text") return show(holder, h("pre", { tabindex: 0, label: t("messages.preview") }, (await blob.slice(0, MOST_TEXT).text())));
    if (!kind || stop.signal.aborted) return undefined;
    address = URL.createObjectURL(new Blob([blob], { type }));
    if (kind === "image") return show(holder, h("img", { src: address, alt: t("messages.preview") }));
    return show(holder, h(kind, { src: address, controls: true, label: t("messages.preview") }));
  }, () => {});
  return holder;
}
