import { isReadOnly } from "../base/access.js";
import { command } from "../base/commands.js";
import { blank, button, bytesText, changing, confirm, effect, explain, failure, go, h, icon, inline, inScope, instant, link, listenTo, muted, note, place, primary, select, show, spread, t, toast } from "../base/ui.js";
import { breadcrumbs } from "./crumbs.js";
import { fileView } from "./file.js";
import { list, listBuckets, remove } from "./store.js";
import { thumbnails } from "./thumbnails.js";
import { uploads } from "./uploads.js";

/** The files of an app: folders, uploads, and the file of the address. */
export function page() {
  const { project } = place.peek();
  const holder = h("div.body", h("h1", t("page.files")), muted(t("loading")));
  const open = inScope((buckets) => changing(holder, () => (place.value.area === "files" ? place.value.rest[0] ?? buckets[0] : null),
    (bucket) => bucketView(project, bucket, buckets.includes(bucket) ? buckets : [...buckets, bucket])));
  listBuckets(project).then(open, (error) => show(holder, h("h1", t("page.files")), failure(error)));
  return holder;
}

function bucketView(project, bucket, buckets) {
  const state = { folders: [], files: [], next: null, selected: new Map(), prefix: null };
  const rows = h("div.scroll");
  const more = h("div");
  const way = h("nav", { label: t("files.folder") });
  const bar = h("div", { role: "status" });
  const thumbnail = thumbnails(bucket);
  const drawBar = () => show(bar, state.selected.size > 0 ? selectionBar(state, () => removeAll(bucket, state, load)) : null);
  const draw = () => {
    show(rows, state.folders.length + state.files.length === 0 ? blank("files", t("files.none")) : h("div.listed", table(bucket, state, thumbnail, drawBar)));
    show(more, state.next ? button(t("users.more"), () => load(state.next)) : null);
    drawBar();
  };
  const load = async (token = null) => {
    const prefix = state.prefix;
    try {
      const found = await list(bucket, prefix, token);
      if (prefix !== state.prefix) return;
      state.folders = token ? [...state.folders, ...found.folders] : found.folders;
      state.files = token ? [...state.files, ...found.files] : found.files;
      state.next = found.next;
      if (!token) state.selected.clear();
      draw();
    } catch (error) {
      show(rows, failure(error));
    }
  };
  const queue = uploads(bucket, () => load());
  const input = h("input", { type: "file", multiple: true, hidden: true, onchange: () => { queue.add([...input.files].map((file) => ({ file, name: state.prefix + file.name }))); input.value = ""; } });
  const choose = () => input.click();
  const folder = h("div.stack", spread(h("h1", t("page.files")), inline(input, primary(t("files.upload"), choose))),
    inline(bucketChoice(project, bucket, buckets), way), bar, rows, more, note(t("files.dropText")));
  const element = h("div.files.stack", queue.element, folder, changing(h("div"), () => (place.value.area === "files" ? place.value.query.file ?? "" : null), (name) => {
    const isOpen = name !== "";
    if (!isOpen && folder.hidden) load();
    folder.hidden = isOpen;
    return isOpen ? fileView(project, bucket, name) : null;
  }));
  acceptDrops(element, (found) => queue.add(found.map(({ file, name }) => ({ file, name: state.prefix + name }))));
  command({ label: () => t("files.upload"), keys: "n", writes: true, run: choose });
  effect(() => {
    const { area, query, rest } = place.value;
    if (area !== "files" || (rest[0] ?? bucket) !== bucket) return;
    const prefix = query.prefix ?? "";
    if (prefix === state.prefix) return;
    state.prefix = prefix;
    show(way, breadcrumbs(bucket, prefix));
    load();
  });
  return element;
}

const bucketChoice = (project, bucket, buckets) => select(buckets, bucket, { label: t("files.bucket"), onchange: (event) => go({ project, area: "files", rest: [event.target.value] }) });

function table(bucket, state, thumbnail, drawBar) {
  const short = (name) => name.slice(state.prefix.length);
  const check = (file) => h("input", {
    type: "checkbox", label: t("files.select", short(file.name)), checked: state.selected.has(file.name),
    onchange: (event) => { if (event.target.checked) state.selected.set(file.name, file); else state.selected.delete(file.name); drawBar(); },
  });
  return h("table.table",
    h("thead", h("tr", h("td"), ["name", "files.size", "type", "files.updated"].map((key) => h("th", { scope: "col" }, t(key))))),
    h("tbody",
      state.folders.map((folder) => h("tr", h("td"), h("td", { colspan: 4 },
        h("a.row", { href: link("files", [bucket], { prefix: folder }), dir: "auto" }, h("span.thumbnail", icon("files")), short(folder))))),
      state.files.map((file) => h("tr", h("td", check(file)),
        h("td", h("a.row", { href: link("files", [bucket], { prefix: state.prefix, file: file.name }), dir: "auto" }, thumbnail(file), short(file.name) || file.name)),
        h("td", bytesText(file.size)), h("td", file.contentType || "–"), h("td", instant(file.updated))))));
}

const selectionBar = (state, destroy) => h("div.row.panel", t("rows.selected", state.selected.size), button([icon("trash"), t("files.delete", state.selected.size)], destroy, { class: "danger", writes: true }));

async function removeAll(bucket, state, reload) {
  const chosen = [...state.selected.values()];
  if (!(await confirm(t("files.delete", chosen.length), t("files.deleteText"), t("files.delete", chosen.length)))) return;
  const outcomes = await Promise.allSettled(chosen.map((file) => remove(bucket, file)));
  const failed = outcomes.find((one) => one.status === "rejected");
  toast(failed ? explain(failed.reason) : t("files.deleted", chosen.length));
  reload();
}

/** Takes files and folders that are dropped, anywhere in the window, or pasted. */
function acceptDrops(element, add) {
  if (isReadOnly()) return;
  const over = (isOver) => element.classList.toggle("dropping", isOver);
  const isOfFiles = (event) => event.dataTransfer?.types.includes("Files");
  // Of what lies inside the window the pointer leaves one thing for another; none of that is leaving.
  const isLeaving = (event) => event.relatedTarget === null;
  listenTo(document, "dragover", (event) => {
    if (!isOfFiles(event)) return;
    event.preventDefault();
    const isTaken = !document.querySelector("dialog[open]");
    event.dataTransfer.dropEffect = isTaken ? "copy" : "none";
    over(isTaken);
  });
  listenTo(document, "dragleave", (event) => isLeaving(event) && over(false));
  listenTo(document, "drop", async (event) => {
    if (!isOfFiles(event)) return;
    // A browser would open the file in the page's stead.
    event.preventDefault();
    over(false);
    if (document.querySelector("dialog[open]")) return;
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.() ?? item.getAsFile()).filter(Boolean);
    add((await Promise.all(entries.map(filesOf))).flat());
  });
  listenTo(document, "paste", (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length > 0) add(files.map((file) => ({ file, name: file.name })));
  });
}

/** The files of a dropped entry with their paths; what is no entry of a file system is a file by itself. */
async function filesOf(entry) {
  if (entry instanceof File) return [{ file: entry, name: entry.name }];
  if (entry.isFile) return [{ file: await new Promise((resolve, reject) => entry.file(resolve, reject)), name: entry.fullPath.slice(1) }];
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return (await Promise.all(found.map(filesOf))).flat();
    found.push(...some);
  }
}
