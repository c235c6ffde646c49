import { roleHere } from "../base/access.js";
import { command } from "../base/commands.js";
import { grid } from "../base/grid.js";
import { keep, kept } from "../base/memory.js";
import { listen } from "../base/listen.js";
import { paced } from "../base/pace.js";
import { viewed } from "../base/viewing.js";
import { blank, button, complain, copyText, effect, explain, failure, go, h, icon, iconButton, inline, inScope, language, muted, note, number, onCleanup, place, quiet, scope, show, signal, spread, t, untracked } from "../base/ui.js";
import { databases, firstDatabase } from "../shell/store.js";
import { arranged, columnsOf, readArrangement } from "./columns.js";
import { countDocuments, linkTo, listCollections, nameOf, pathOf, placeOf } from "./documents.js";
import { fullOrders, structuredQuery } from "./query.js";
import { bulkButton, transferButtons, withModule } from "./tools.js";
import { GLYPHS, own, summary, typeOf } from "./value.js";
import { Window } from "./window.js";

/** The fields of the documents that were last in sight, which the builder of queries offers. */
let seenFields = [];

// What a table of documents does without is loaded when somebody asks for it.
const filters = () => import("./filter.js");

/** Shows in an element what a module that is loaded now makes. */
const later = (element, load, draw) => {
  const made = inScope((module) => show(element, draw(module)));
  load().then(made, (error) => show(element, failure(error)));
  return element;
};

/** The documents of a database: collections, a live table, and one document beside it. */
export function page() {
  const { project, rest } = place.peek();
  if (rest[1] === "create" || databases.peek().length === 0) {
    const holder = h("div.body", muted(t("loading")));
    import("./createDatabase.js").then(inScope(({ createDatabasePage }) => holder.replaceWith(createDatabasePage(project))), (error) => show(holder, failure(error)));
    return holder;
  }
  if (!rest[0]) go({ project, area: "firestore", rest: [firstDatabase(), "data"] }, { replace: true });
  return dataPage({ project, database: place.peek().rest[0] });
}

/** The collection and the document that a path names. */
export function partsOf(path) {
  const isDocument = path.length > 0 && path.length % 2 === 0;
  return { collection: isDocument ? path.slice(0, -1) : path, document: isDocument ? path : null };
}

function dataPage(where) {
  const top = h("div.data-top");
  const side = h("nav.collections", { label: t("collections") });
  const results = h("section.results", { label: t("documents") });
  const element = h("div.data", top, side, results);
  const opened = signal({ collection: [], document: null, filter: "", view: "table", at: null });
  effect(() => {
    const { area, rest, query } = place.value;
    if (area !== "firestore" || rest[0] !== where.database) return;
    const next = { ...partsOf(rest.slice(2)), filter: query.q ?? "", view: viewOf(query), at: query.at ?? null };
    if (JSON.stringify(next) !== JSON.stringify(opened.peek())) opened.value = next;
  });

  const collectionPath = memo(() => opened.value.collection);
  const documentPath = memo(() => opened.value.document);
  const filter = memo(() => opened.value.filter);
  const isTree = memo(() => opened.value.view === "tree");
  const shown = memo(() => [opened.value.view, opened.value.at]);

  follow(() => [collectionPath.value, filter.value, shown.value], () => {
    drawTop(top, where, collectionPath.peek(), isTree.peek() ? null : filter.peek());
    if (!isTree.peek()) drawResults(results, where, collectionPath.peek(), filter.peek(), ...shown.peek());
  });
  follow(() => [isTree.value, isTree.value && [collectionPath.value, documentPath.value]], () => {
    element.classList.toggle("as-tree", isTree.peek());
    if (isTree.peek()) later(results, () => import("./tree.js"), ({ tree }) => tree(where, documentPath.peek() ?? collectionPath.peek()));
  });
  follow(() => [collectionPath.value, isTree.value], () => (isTree.peek() ? show(side) : drawCollections(side, where, collectionPath.peek())));
  effect(() => element.classList.toggle("as-document", Boolean(documentPath.value && place.value.query.wide)));
  let drawer = null;
  follow(() => documentPath.value, () => {
    drawer?.remove();
    drawer = null;
    const path = documentPath.peek();
    if (!path) return;
    const close = () => go(placeOf(where, path.slice(0, -1), withoutWide(place.peek().query)));
    import("./drawer.js").then(inScope(({ documentDrawer }) => {
      drawer = documentDrawer(where, path, { onClose: close }).element;
      element.append(drawer);
    }), complain);
  });
  command({ label: () => t("document.add"), keys: "n", writes: true, run: () => top.querySelector("[data-add]")?.click() });
  command({ label: () => t("filter"), keys: "/", run: () => top.querySelector(".filter input")?.focus() });
  command({ label: () => t("undo"), keys: "ctrl+z", writes: true, run: withModule(() => import("./undo.js"), ({ undoLast }) => undoLast()) });
  return element;
}

const withoutWide = ({ wide: _, ...query }) => query;

/** A signal of what a function gives, which changes only when that does. */
function memo(compute) {
  const made = signal(undefined);
  effect(() => {
    const next = compute();
    if (JSON.stringify(next) !== JSON.stringify(made.peek())) made.value = next;
  });
  return made;
}

/** Does something in a scope of its own after each change of what `read` reads. */
function follow(read, act) {
  let current = null;
  effect(() => {
    read();
    untracked(() => {
      current?.dispose();
      current = scope(act);
    });
  });
  onCleanup(() => current?.dispose());
}

// Where one is

/** The way to the collection, and below it the filter; there is none, null, in the tree. */
function drawTop(top, where, collection, filter) {
  const query = filter === null ? { view: "tree" } : {};
  const crumbs = h("nav.crumbs", { label: t("path") }, h("a", { href: linkTo(where, [], query) }, where.database));
  collection.forEach((segment, index) => {
    const isLast = index === collection.length - 1;
    const address = linkTo(where, collection.slice(0, index + 1), query);
    crumbs.append(" / ", isLast ? h("h1", { dir: "auto" }, segment) : h("a", { href: address, dir: "auto" }, segment));
  });
  const add = h("button.primary", { data: { add: "" }, onclick: withModule(() => import("./createDocument.js"), ({ createDialog }) => createDialog(where, collection)), writes: true },
    icon("plus"), t(collection.length > 0 ? "document.add" : "collection.start"));
  if (collection.length > 0) crumbs.append(iconButton("trash", t("collection.delete"), withModule(() => import("./deletion.js"), async ({ removeCollection }) => {
    if (await removeCollection(where, collection)) go(placeOf(where, collection.slice(0, -1), query));
  }), { writes: true }));
  show(top, spread(crumbs, inline(roleHere() === "owner" ? quiet(t("view.title"), withModule(() => import("./viewDialog.js"), ({ viewDialog }) => viewDialog(where.project))) : null, viewChoice(), add)),
    collection.length > 0 && filter !== null ? filterBar(where, collection, filter, top.parentElement) : null);
}

const VIEWS = ["table", "tree", "json"];
const viewOf = ({ view }) => (VIEWS.includes(view) ? view : "table");

/** How the data is shown: as a table, as columns along the path, or as JSON. */
function viewChoice() {
  const current = viewOf(place.peek().query);
  const choose = (view) => {
    const { query: { view: _, ...query }, ...rest } = place.peek();
    go({ ...rest, query: view === "table" ? query : { ...query, view } });
  };
  return h("div.tabs", { role: "group", label: t("view.of") }, VIEWS.map((view) => quiet(t(`view.${view}`), () => choose(view), { "aria-pressed": view === current })));
}

function filterBar(where, collection, filter, data) {
  const note = h("p.error", { role: "status", id: "filter-problem" });
  const input = h("input", {
    type: "text", value: filter, label: t("filter"), "aria-describedby": "filter-problem", spellcheck: "false", autocomplete: "off",
    placeholder: 'price > 10 and tags contains "x" order by name desc limit 50',
    oninput: () => tell(input.value),
  });
  // What a text that cannot be read is not about is dimmed.
  const tell = async (text) => {
    const problem = text.trim() === "" ? null : problemOf(await filters(), text, where, collection);
    if (text !== input.value) return problem;
    show(note, problem);
    input.setAttribute("aria-invalid", String(Boolean(problem)));
    data.classList.toggle("stale", text !== filter && Boolean(problem));
    return problem;
  };
  const open = (text) => openFilter(where, collection, text);
  const apply = async () => {
    const text = input.value;
    if (!(await tell(text))) open(text.trim());
  };
  tell(filter);
  const clear = filter ? iconButton("close", t("filter.clear"), () => open("")) : null;
  return h("form", { role: "search", onsubmit: apply }, h("div.filter", input, h("button", { type: "submit" }, t("filter.apply")), clear, iconButton("config", t("builder"), withModule(() => import("./builder.js"), async ({ builder }) => { const text = await builder(where, collection, input.value, seenFields); if (text !== null) open(text); })), iconButton("history", t("asOf"), withModule(() => import("./asOf.js"), ({ askInstant }) => askInstant()))), note);
}

/** Goes to the open collection under another filter. */
function openFilter(where, collection, text) {
  const { q: _, ...query } = place.peek().query;
  return go(placeOf(where, collection, text ? { ...query, q: text } : query));
}

const rootOf = (where) => nameOf(where, []);

function problemOf({ FilterError, parse }, text, where, collection) {
  try {
    parse(text, rootOf(where), collection);
    return null;
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    return t("filter.at", error.offset + 1, t(error.key), error.detail);
  }
}

// Collections

function drawCollections(side, where, collection) {
  const parent = collection.slice(0, -1);
  const current = collection.at(-1);
  let isOver = false;
  const draw = async () => {
    try {
      const ids = new Set(await listCollections(where, parent));
      if (isOver) return;
      if (current) ids.add(current);
      show(side, spread(h("h2.note", t("collections")), iconButton("reload", t("reload"), draw)),
        h("ul", [...ids].sort().map((id) => h("li", h("a", {
          href: linkTo(where, [...parent, id]), "aria-current": id === current ? "true" : null, dir: "auto",
        }, id)))),
        ids.size === 0 ? note(t("collections.none")) : null);
    } catch (error) {
      if (!isOver) show(side, h("p.error", explain(error)));
    }
  };
  addEventListener("brasa-collections", draw);
  onCleanup(() => {
    isOver = true;
    removeEventListener("brasa-collections", draw);
  });
  draw();
}

// Results

function drawResults(results, where, collection, filter, view, at) {
  if (collection.length === 0) return show(results, h("div.empty", h("h1.hidden", t("collections.choose")), blank("data", h("b", t("collections.choose")), muted(t("collections.chooseText")))));
  const open = inScope(([filters, json, past]) => {
    let parsed = { group: null, where: null, orders: [], limit: null };
    try {
      if (filters) parsed = filters.parse(filter, rootOf(where), collection);
    } catch {
      return show(results, h("div.empty", h("p", t("filter.wrong"))));
    }
    const query = { ...parsed, collection: collection.at(-1), orders: fullOrders(parsed) };
    return liveTable(results, where, collection.slice(0, -1), collection, query, json, past, at, filter);
  });
  const loads = [filter && filters(), view === "json" && import("./jsonView.js"), at && import("./asOf.js")];
  if (!loads.some(Boolean)) return open(loads);
  return Promise.all(loads).then(open).catch((error) => show(results, failure(error)));
}

/** A query's documents as they change, or as they were at an instant; as a grid or as JSON, by modules for these where they are asked for. */
function liveTable(results, where, parent, collection, query, json, past, at, filter) {
  const view = { rows: [], offset: 0, columns: [], shown: [], isPaused: false, held: 0, selected: [] };
  const status = h("div.status");
  const held = button("", () => take(), { hidden: true });
  let shownStatus = null;
  const message = h("div");
  const parentName = nameOf(where, parent);
  const arrangement = keptArrangement(where, collection);
  const arrange = (next) => {
    arrangement.keep(next);
    take();
  };
  const chooseColumns = withModule(() => import("./columnsDialog.js"), async ({ columnsDialog }) => {
    const next = await columnsDialog(view.columns, arrangement.value);
    if (next) arrange(next);
  });
  const transfer = at ? null : [bulkButton(where, collection, query), ...transferButtons(where, collection, query)];
  let table = null;
  // A table that is drawn anew because somebody sorted it by keyboard has the focus as the one before.
  let wantsFocus = document.activeElement?.role === "grid" && results.contains(document.activeElement);

  const model = {
    label: collection.join("/"),
    selectLabel: t("select"),
    get columns() { return view.shown; },
    sort: sortOf(query),
    startsAtSort: wantsFocus,
    onSort: withModule(filters, ({ withOrder }, { id, name }) => openFilter(where, collection, withOrder(filter, id === "id" ? ["__name__"] : [name], model.sort?.id === id && !model.sort.isDescending))),
    onResize: (id, width) => arrange({ ...arrangement.value, widths: { ...arrangement.value.widths, [id]: width } }),
    get count() { return view.rows.length; },
    get offset() { return view.offset; },
    get isOpen() { return window.hasMore; },
    row: (index) => rowOf(view, index),
    onNear: (first, last) => {
      if (last >= view.offset + view.rows.length - 30 && window.hasMore && !view.isPaused) window.more();
      if (first < view.offset && window.hasEarlier && !view.isPaused) window.earlier();
    },
    onOpen: (name) => go(placeOf(where, pathOf(name), place.peek().query)),
    onSelect: (keys) => {
      view.selected = keys;
      drawStatus();
    },
  };

  const take = () => {
    view.rows = window.rows;
    view.offset = window.offset;
    view.held = 0;
    view.columns = columnsOf(view.columns, view.rows);
    seenFields = view.columns.map((column) => column.name).filter(Boolean);
    view.shown = arranged(view.columns, arrangement.value).map((column) => ({ ...column, glyph: GLYPHS[column.type] }));
    table?.draw();
    drawMessage();
    if (wantsFocus && view.rows.length > 0) {
      wantsFocus = false;
      table.element.focus({ preventScroll: true });
    }
    drawStatus();
  };

  const requestDraw = paced(() => (view.isPaused && !window.error ? drawStatus() : take()));
  const changed = () => {
    if (view.isPaused) view.held += 1;
    requestDraw();
  };

  const drawMessage = () => {
    const isEmpty = view.rows.length === 0 && !window.isLoading && !window.error;
    if (table) table.element.hidden = view.rows.length === 0;
    show(message, window.error ? later(h("div"), () => import("./queryFailure.js"), ({ queryFailure }) => queryFailure(window.error, where)) : null,
      window.isLoading && view.rows.length === 0 ? h("p.empty.muted", t("loading")) : null,
      missing.length > 0 ? lost.missingList(where, collection, missing, isEmpty) : null,
      isEmpty && missing.length === 0 ? emptyText(filter) : null);
  };

  // Ids that only have collections below them are in no query's results.
  let [missing, lost] = [[], null];
  let isOver = false;
  const findMissing = inScope(async () => {
    lost ??= await import("./missing.js");
    const found = await lost.missingDocuments(where, collection).catch(() => []);
    if (isOver || JSON.stringify(found) === JSON.stringify(missing)) return;
    missing = found;
    drawMessage();
  });
  if (filter === "" && !at) {
    addEventListener("brasa-collections", findMissing);
    findMissing();
  }
  onCleanup(() => {
    isOver = true;
    removeEventListener("brasa-collections", findMissing);
  });

  // What is drawn anew between a press and its release misses the click.
  const drawStatus = () => {
    const last = view.offset + view.rows.length;
    held.hidden = view.held === 0;
    if (view.held > 0) show(held, t("changes.held", view.held));
    const next = JSON.stringify([view.offset, last, window.hasMore, table?.count, view.isPaused, view.selected]);
    if (next === shownStatus) return;
    shownStatus = next;
    show(status,
      h("span", view.rows.length === 0 ? "" : t("rows.shown", number(view.offset + 1), number(last), window.hasMore)),
      at ? null : h("button.quiet", { "aria-pressed": view.isPaused, onclick: () => { view.isPaused = !view.isPaused; if (!view.isPaused) take(); else drawStatus(); } },
        icon(view.isPaused ? "play" : "pause"), t(view.isPaused ? "live.resume" : "live.pause")),
      json ? jsonPages() : quiet([icon("columns"), t("columns")], chooseColumns),
      at ? null : counter(where, parent, query), transfer, held,
      view.selected.length > 0 ? selectionActions() : null);
  };

  // A grid asks for rows as it is scrolled.
  const jsonPages = () => [
    table?.count < view.rows.length ? h("span", { role: "status" }, t("json.cut", number(table.count))) : null,
    window.hasEarlier ? quiet(t("json.earlier"), () => window.earlier()) : null,
    window.hasMore ? quiet(t("users.more"), () => window.more()) : null,
  ];

  const chosen = () => view.rows.filter((document) => view.selected.includes(document.name));
  const removeChosen = withModule(() => import("./deletion.js"), async ({ removeDocuments }) => { if (await removeDocuments(where, chosen())) table.clearSelection(); });
  const selectionActions = () => [
    h("span", { role: "status" }, t("rows.selected", view.selected.length)),
    quiet([icon("copy"), t("rows.copy")], withModule(() => import("./jsonView.js"), ({ documentsText }) => copyText(`${documentsText(chosen()).text}\n`))),
    at ? null : quiet([icon("trash"), t("delete")], removeChosen, { writes: true }),
  ];

  const source = (structured, onSnapshot, onError) => (at
    ? past.readAt(parentName, structured, at, inScope(onSnapshot), inScope(onError))
    : listen(where, { query: { parent: parentName, structuredQuery: structured } }, inScope(onSnapshot), inScope(onError)));
  const window = new Window(query, source, inScope(changed));
  onCleanup(() => window.stop());
  table = json ? json.jsonView(model.label, () => view.rows) : grid(model);
  command({ label: () => t("sort.column"), keys: "s", run: () => table.sort?.() });
  show(results, at ? past.asOfNotice(at) : null, message, table.element, status);
  take();
}

/** What an empty table says: that nothing is there, or that nothing fits. */
const emptyText = (filter) => blank("data", h("b", t(filter ? "documents.noMatch" : "documents.none")), muted(t(filter ? "documents.noMatchText" : "documents.noneText")));

/** How somebody arranged the columns of a collection, whatever the documents above it; kept in this browser. */
function keptArrangement(where, collection) {
  const name = `columns ${where.project} ${where.database} ${collection.filter((_, index) => index % 2 === 0).join("/")}`;
  const held = { value: readArrangement(kept(name)), keep: (next) => { held.value = next; keep(name, JSON.stringify(next)); } };
  return held;
}

/** The column by which a query is sorted first. */
function sortOf({ orders }) {
  const [{ names, isDescending }] = orders;
  if (names.length > 1) return null;
  return { id: names[0] === "__name__" ? "id" : `.${names[0]}`, isDescending };
}

let shownCount = null;

function counter(where, parent, query) {
  const key = JSON.stringify([where, parent, query, language.peek(), viewed.peek()]);
  const text = h("span", { role: "status" }, shownCount?.key === key ? shownCount.text : null);
  const count = async () => {
    try {
      const structured = structuredQuery({ ...query, orders: query.orders.filter((order) => order.names[0] !== "__name__") });
      const found = await countDocuments(where, parent, structured);
      shownCount = { key, text: t("count.result", number(found)) };
      show(text, shownCount.text);
    } catch (error) {
      complain(error);
    }
  };
  return [quiet(t("count"), count), text];
}

// Rows

function rowOf(view, index) {
  const document = view.rows[index - view.offset];
  if (!document) return undefined;
  return {
    key: document.name,
    version: document.updateTime,
    get cells() {
      return view.shown.map((column) => (column.name === undefined ? { text: document.name.split("/").pop(), type: "id" } : cellOf(own(document.fields ?? {}, column.name))));
    },
  };
}

function cellOf(value) {
  if (value === undefined) return { text: "", type: "missing" };
  const text = summary(value);
  const type = typeOf(value);
  return { text: type === "timestamp" ? shortInstant(value.timestampValue) : text, type, title: `${t(`type.${type}`)}: ${text}` };
}

let instants = null;

/** An instant as a cell has it; the whole of it is in the cell's title. */
function shortInstant(text) {
  if (instants?.tag !== language.peek()) instants = { tag: language.peek(), format: new Intl.DateTimeFormat(language.peek(), { dateStyle: "medium", timeStyle: "short" }) };
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : instants.format.format(date);
}
