import { listen } from "../base/listen.js";
import { paced } from "../base/pace.js";
import { keep, kept } from "../base/memory.js";
import { bin, button, copyText, explain, go, guardLeaving, h, icon, iconButton, inline, input, inScope, instant, muted, note, notice, onCleanup, place, quiet, show, spread, t, toast } from "../base/ui.js";
import { linkTo, listCollections, nameOf, placeOf } from "./documents.js";
import { isConflict, saveDocument } from "./writes.js";
import { fieldEditor } from "./fieldEditor.js";
import { areSame, JSONTextError, read, write } from "./jsonText.js";
import { merge } from "./merge.js";
import { withModule } from "./tools.js";
import { undoLast } from "./undo.js";
import { own, summary } from "./value.js";

/** One document: its fields as they are now, edited by type or as JSON, and the collections below it. */
export function documentDrawer(where, path, { onClose }) {
  const name = nameOf(where, path);
  const state = { document: undefined, base: null, editor: null, json: null, isDirty: false, view: "fields", newer: null, isSaving: false };
  const body = h("div.drawer-body");
  const foot = h("div.drawer-foot");
  const news = h("div", { role: "status" });
  const inner = below(where, path);
  const element = h("aside.drawer", { label: t("document.of", path.at(-1)) }, edge(), head(path, state, onClose), news, body, foot);
  element.style.inlineSize = kept("drawer") ?? "";
  element.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      foot.querySelector(".primary:enabled")?.click();
    }
    if (event.key === "Escape" && !event.defaultPrevented && !event.isComposing) onClose();
  });

  const release = { act: null };
  const setDirty = (isDirty) => {
    if (isDirty === state.isDirty) return;
    state.isDirty = isDirty;
    release.act?.();
    release.act = isDirty ? guardLeaving((isSilent) => !isSilent && leave()) : null;
    drawFoot();
  };
  const leave = () => window.confirm(t("edit.discard")) && (setDirty(false), true);
  onCleanup(() => release.act?.());

  const draft = () => (state.view === "json" ? readJSON(state) : state.editor?.read());

  const edited = () => {
    const fields = draft();
    setDirty(fields === null || !areSame(fields, state.base?.fields ?? {}));
    drawFoot();
  };

  const draw = () => {
    if (state.document === undefined) return show(body, muted(t("loading")));
    if (state.document === null) {
      show(foot);
      return show(body, h("p", t("document.missing")), inner);
    }
    const isJSON = state.view === "json";
    show(body, tabs(state, switchView), isJSON ? jsonEditor(state, edited) : fieldsEditor(where, state, edited), isJSON ? null : inner,
      note(`${t("document.created", instant(state.base.createTime))} · ${t("document.updated", instant(state.base.updateTime))}`));
    drawFoot();
  };

  const switchView = (view) => {
    const fields = draft();
    if (fields === null) return toast(t("document.notValid"));
    state.view = view;
    state.draft = fields;
    draw();
  };

  const drawFoot = () => {
    const fields = state.document ? draft() : null;
    const isWrong = state.document && fields === null;
    const next = JSON.stringify([state.isDirty, isWrong, state.isSaving, state.view]);
    if (next === state.shownFoot && foot.isConnected && foot.childElementCount > 0) return;
    state.shownFoot = next;
    show(foot,
      button(t("save"), () => save(), { class: "primary", "aria-keyshortcuts": "Control+Enter Meta+Enter", disabled: !state.isDirty || fields === null || state.isSaving, writes: true }),
      state.isDirty ? button(t("cancel"), reset) : null,
      isWrong ? h("span.error.row", { role: "status" }, icon("warning"), t("document.notValid"), state.view === "fields" ? quiet(t("document.showWrong"), () => state.editor.showProblem()) : null) : null);
  };

  const reset = () => {
    state.base = state.document;
    state.draft = state.base?.fields ?? {};
    state.newer = null;
    setDirty(false);
    show(news);
    draw();
  };

  const save = async (fields = draft(), base = state.base) => {
    state.isSaving = true;
    drawFoot();
    try {
      state.base = await saveDocument(base, fields);
      state.draft = fields;
      show(news);
      edited();
      toast(t("document.saved"), { label: t("undo"), run: undoLast });
    } catch (error) {
      if (isConflict(error) && state.document) showConflict();
      else show(news, problem(explain(error)));
    } finally {
      state.isSaving = false;
      drawFoot();
    }
  };

  const showConflict = () => {
    const mine = draft();
    if (mine === null || !state.document) return show(news, problem(t("conflict.changed")));
    return show(news, conflict(state.base.fields ?? {}, mine, state.document, (fields) => {
      state.draft = fields;
      save(fields, state.document);
    }));
  };

  const take = (document) => {
    const isFirst = state.document === undefined;
    state.document = document;
    const isOwn = document && state.base && state.draft && areSame(document.fields ?? {}, state.draft);
    if (state.isDirty && document && document.updateTime !== state.base?.updateTime && !isOwn && !state.isSaving) return showConflict();
    if (state.isDirty && document === null) return show(news, problem(t("conflict.deleted")));
    if (state.isDirty) return undefined;
    // What is focused stays where it is if nothing but the time of the change is new.
    if (!isFirst && isOwn && state.base) {
      state.base = document;
    }
    state.base = document;
    state.draft = document?.fields ?? {};
    return keepFocus(body, draw);
  };

  const remove = withModule(() => import("./deletion.js"), async ({ removeDocument }) => {
    if (state.document === undefined || !(await removeDocument(where, path, state.document, (error) => show(news, problem(explain(error)))))) return;
    setDirty(false);
    onClose();
  });
  state.remove = remove;
  state.history = withModule(() => import("./history.js"), async ({ showHistory }) => {
    if (!state.document || (state.isDirty && !leave())) return;
    await showHistory(name, state.document, { onRestored: () => { reset(); toast(t("history.restored"), { label: t("undo"), run: undoLast }); } });
  });

  draw();
  onCleanup(listen(where, { documents: { documents: [name] } },
    paced(({ documents }) => take(documents.get(name) ?? null)),
    inScope((error) => show(body, problem(error.message)))));
  return { element, mayClose: () => !state.isDirty || leave() };
}

/** Draws, and goes back to the control that had the focus. */
function keepFocus(body, draw) {
  const label = body.contains(document.activeElement) && document.activeElement.getAttribute("aria-label");
  draw();
  if (label) [...body.querySelectorAll("[aria-label]")].find((one) => one.getAttribute("aria-label") === label)?.focus();
}

const problem = (text) => notice("danger", text);

const head = (path, state, onClose) => h("div.drawer-head",
  h("h2", { dir: "auto", title: path.join("/") }, path.at(-1)),
  wideButton(),
  iconButton("copy", t("copy.path"), () => copyText(path.join("/"))),
  iconButton("history", t("history.title"), () => state.history()),
  bin(t("document.delete"), () => state.remove()),
  iconButton("close", t("close"), onClose));

/** Shows the document as a page of its own, or beside its collection again; the address says which. */
function wideButton() {
  const { query: { wide, ...query }, ...rest } = place.peek();
  return iconButton("expand", t("document.wide"), () => go({ ...rest, query: wide ? query : { ...query, wide: "1" } }), { "aria-pressed": Boolean(wide), class: "quiet widen" });
}

const LEAST_WIDTH = 360;

/** The edge by which the drawer is made wider; the width is kept. */
function edge() {
  const widest = () => Math.max(LEAST_WIDTH, innerWidth - 320);
  const set = (pixels) => {
    const width = Math.round(Math.max(LEAST_WIDTH, Math.min(widest(), pixels)));
    element.parentElement.style.inlineSize = `${width}px`;
    element.setAttribute("aria-valuenow", width);
    keep("drawer", `${width}px`);
  };
  const widthNow = () => element.parentElement.offsetWidth;
  const element = h("div", {
    class: "edge", role: "separator", tabindex: "0", "aria-orientation": "vertical", label: t("document.width"), "aria-valuemin": LEAST_WIDTH, "aria-valuemax": widest(), "aria-valuenow": parseInt(kept("drawer") ?? "520", 10),
    onpointerdown: (event) => element.setPointerCapture(event.pointerId),
    onpointermove: (event) => { if (element.hasPointerCapture(event.pointerId)) set(innerWidth - event.clientX); },
    onkeydown: (event) => {
      const by = { ArrowLeft: 32, ArrowRight: -32 }[event.key];
      if (!by) return;
      event.preventDefault();
      set(widthNow() + by);
    },
  });
  return element;
}

const tabs = (state, choose) => h("div.tabs", { role: "tablist", label: t("document.view") },
  ["fields", "json"].map((view) => h("button", {
    type: "button", role: "tab", class: "quiet", "aria-selected": view === state.view, onclick: () => choose(view),
  }, t(`view.${view}`))));

function fieldsEditor(where, state, edited) {
  state.editor = fieldEditor(state.draft, { onChange: edited, where });
  return [state.editor.element, spread(quiet([icon("plus"), t("field.add")], () => state.editor.add(), { writes: true }), note(h("kbd", t("field.optionKey")), " ", t("field.keys"), " · ", h("kbd", t("document.saveKeys")), " ", t("save")))];
}

function jsonEditor(state, edited) {
  const note = h("div.error", { role: "status" });
  const area = h("textarea.json-editor", { label: t("document.json"), spellcheck: "false", value: write(state.draft), writes: true, oninput: () => {
    edited();
    show(note, state.problem ? t("json.at", lineOf(area.value, state.problem.offset), t(state.problem.key), state.problem.detail) : null);
  } });
  state.json = area;
  return [area, note];
}

/** The line of an offset, from one. */
export const lineOf = (text, offset) => text.slice(0, offset).split("\n").length;

function readJSON(state) {
  try {
    state.problem = null;
    return read(state.json.value);
  } catch (error) {
    if (!(error instanceof JSONTextError)) throw error;
    state.problem = error;
    return null;
  }
}

/** Both versions of what two people changed, field by field. */
function conflict(base, mine, document, onSave) {
  const theirs = document.fields ?? {};
  const choices = {};
  const { conflicts } = merge(base, mine, theirs);
  const text = (fields, name) => (own(fields, name) ? summary(own(fields, name)) : t("field.missing"));
  const option = (name, side, fields) => h("label.row",
    h("input", { type: "radio", name: `conflict-${name}`, checked: side === "mine", onchange: () => { choices[name] = side; } }), h("span", { dir: "auto" }, text(fields, name)));
  return h("div.notice.warn", { role: "alert" }, icon("warning"), h("div.grow.stack",
    h("p", t("conflict.changed")),
    conflicts.length > 0 ? h("table.table.conflict",
      h("thead", h("tr", h("th", t("field.name")), h("th", t("conflict.mine")), h("th", t("conflict.theirs")))),
      h("tbody", conflicts.map((name) => h("tr", h("td", { dir: "auto" }, name), h("td", option(name, "mine", mine)), h("td", option(name, "theirs", theirs)))))) : h("p", t("conflict.none")),
    inline(button(t("conflict.save"), () => onSave(merge(base, mine, theirs, choices).fields), { class: "primary", writes: true }))));
}

/** The collections below a document. */
function below(where, path) {
  const list = h("ul.stack");
  const query = place.peek().query.view === "tree" ? { view: "tree" } : {};
  listCollections(where, path).then(
    (ids) => show(list, ids.length === 0 ? h("li.muted", t("subcollections.none")) : ids.map((id) =>
      h("li", h("a", { href: linkTo(where, [...path, id], query), dir: "auto" }, id)))),
    (error) => show(list, h("li.error", explain(error))),
  );
  const start = () => {
    const id = input("", { label: t("collection.id"), required: true });
    const form = h("form.row", { onsubmit: () => go(placeOf(where, [...path, id.value])) }, id, h("button", { type: "submit" }, t("open")));
    list.append(h("li", form));
    id.focus();
  };
  return h("section.subcollections.stack", spread(h("h3", t("subcollections")),
    quiet([icon("plus"), t("collection.start")], start, { writes: true })), list);
}
