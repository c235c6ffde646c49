import { freshID, h, icon, show } from "./dom.js";
import { listenTo } from "./dialog.js";

/**
 * A table of any number of rows of one height, of which only those in sight are elements.
 *
 * `model` says what to show: `columns` (`{id, label, width, glyph}`), `sort` (`{id, isDescending}`), `count`, `offset` (rows before the first that is there),
 * `row(index)` (`{key, cells: [{text, type, title}]}`, undefined where none is there), `onNear(first, last)`,
 * `onOpen(key)`, `onSelect(keys)`, `onSort(column)`, `startsAtSort` (the focus begins in the sorted column), `onResize(id, width)`, `label`. `draw()` shows it as it is now.
 */
export function grid(model) {
  const HEIGHT = 36;
  const MOST_ROWS = 60;
  const FLASH_MILLISECONDS = 1_000;
  const head = h("div.grid-head", { role: "row", "aria-rowindex": 1 });
  const layer = h("div.grid-layer", { role: "rowgroup" });
  const spacer = h("div.grid-spacer", layer);
  const element = h("div.grid", { role: "grid", tabindex: "0", label: model.label, "aria-multiselectable": true },
    h("div.grid-top", { role: "rowgroup" }, head), spacer);
  const drawn = new Map();
  const selected = new Set();
  const id = freshID("cell");
  let focus = { row: 0, column: 0 };
  let columns = [];
  let shownHead = "";
  let anchor = null;
  let focused = null;

  const range = () => {
    const top = Math.max(0, element.scrollTop - HEIGHT);
    const first = Math.max(0, Math.floor(top / HEIGHT) - 8);
    const visible = Math.ceil(element.clientHeight / HEIGHT) + 16;
    return [first, Math.min(model.offset + model.count, first + Math.min(visible, MOST_ROWS))];
  };

  const draw = () => {
    drawHead();
    const total = model.offset + model.count;
    spacer.style.blockSize = `${total * HEIGHT}px`;
    element.setAttribute("aria-rowcount", String(model.isOpen ? -1 : total + 1));
    const [first, last] = range();
    const seen = new Set();
    for (let index = first; index < last; index += 1) {
      const row = model.row(index);
      if (!row) continue;
      seen.add(row.key);
      place(row, index);
    }
    arrange(seen);
    for (const [key, one] of drawn) {
      if (seen.has(key)) continue;
      one.element.remove();
      drawn.delete(key);
    }
    showFocus();
    model.onNear?.(first, last);
  };

  /** Readers of the page's text meet the rows in the order that eyes do. */
  const arrange = (keys) => {
    let before = null;
    for (const key of keys) {
      const { element: row } = drawn.get(key);
      const expected = before ? before.nextSibling : layer.firstChild;
      if (row !== expected) layer.insertBefore(row, expected);
      before = row;
    }
  };

  const drawHead = () => {
    const next = model.columns;
    const text = JSON.stringify([next.map(({ id, width, glyph }) => [id, width, glyph]), model.sort]);
    if (text === shownHead) return;
    if (next.map((one) => one.id).join("\n") !== columns.map((one) => one.id).join("\n")) drawn.forEach((one) => { one.version = null; });
    if (shownHead === "" && model.startsAtSort) focus.column = Math.max(0, next.findIndex((one) => one.id === model.sort?.id));
    [shownHead, columns] = [text, next];
    element.style.setProperty("--columns", `40px ${columns.map(({ width = 200 }) => `${width}px`).join(" ")}`);
    element.setAttribute("aria-colcount", String(columns.length));
    show(head, h("div.grid-mark", { role: "columnheader" }, h("span.hidden", model.selectLabel)), columns.map(headCell));
  };

  /** A column's name, which sorts by it, and the edge by which it is made wider. Both are for the pointer; `sort` and the columns' dialog are for the keyboard. */
  const headCell = (column) => {
    const isSorted = model.sort?.id === column.id;
    const direction = isSorted ? (model.sort.isDescending ? "descending" : "ascending") : "none";
    return h("div.grid-cell", { role: "columnheader", title: column.label, "aria-sort": model.onSort ? direction : null },
      column.glyph ? h("span.glyph", { "aria-hidden": true }, column.glyph) : null,
      model.onSort ? h("button.quiet.grid-sort", { tabindex: "-1", onclick: () => model.onSort(column) }, h("span", { dir: "auto" }, column.label), isSorted ? icon(model.sort.isDescending ? "down" : "up") : null) : column.label,
      model.onResize ? edge(column) : null);
  };

  const edge = (column) => {
    let from = null;
    const end = () => { from = null; };
    return h("span", {
      class: "grid-edge", "aria-hidden": true, onclick: (event) => event.stopPropagation(),
      onpointerdown: (event) => {
        event.preventDefault();
        event.target.setPointerCapture(event.pointerId);
        from = { x: event.clientX, width: column.width };
      },
      onpointermove: (event) => { if (from) element.style.setProperty("--columns", `40px ${columns.map((one) => `${one === column ? widthAt(event, from) : one.width}px`).join(" ")}`); },
      onpointerup: (event) => {
        if (from) model.onResize(column.id, widthAt(event, from));
        end();
      },
      onpointercancel: end,
    });
  };

  const widthAt = (event, from) => Math.round(Math.max(64, Math.min(900, from.width + event.clientX - from.x)));

  const place = (row, index) => {
    let one = drawn.get(row.key);
    if (!one) {
      one = { element: h("div.grid-row", { role: "row" }), version: null, changed: -Infinity };
      drawn.set(row.key, one);
      layer.append(one.element);
    }
    one.element.style.transform = `translateY(${index * HEIGHT}px)`;
    one.element.setAttribute("aria-rowindex", String(index + 2));
    one.element.setAttribute("aria-selected", String(selected.has(row.key)));
    one.index = index;
    if (one.version === row.version) return;
    const isChange = one.version !== null;
    one.version = row.version;
    const { cells } = row;
    if (one.element.childElementCount !== cells.length + 1) show(one.element, mark(row, cells), cells.map((_, column) => h("div.grid-cell", { role: "gridcell", data: { column } })));
    cells.forEach((cell, column) => write(one.element.children[column + 1], cell));
    // A row that changes all the time would flicker all the time.
    const now = performance.now();
    if (isChange && now - one.changed > FLASH_MILLISECONDS) flash(one.element);
    one.changed = now;
  };

  /** Elements stay, so that what is pressed is still there when it is let go. */
  const write = (element, { text, title = text, type = "none" }) => {
    if (element.textContent !== text) element.textContent = text;
    if (element.title !== title) element.title = title;
    if (element.classList.contains(`type-${type}`)) return;
    element.className = `grid-cell type-${type}`;
  };

  const mark = (row, cells) => h("div.grid-mark", { role: "gridcell" },
    h("input", { type: "checkbox", tabindex: "-1", label: `${model.selectLabel} ${cells[0].text}`, checked: selected.has(row.key), data: { mark: "" } }));

  const flash = (target) => {
    target.classList.remove("flash");
    requestAnimationFrame(() => target.classList.add("flash"));
  };

  const showFocus = () => {
    const row = model.row(focus.row);
    const cell = row && drawn.get(row.key)?.element.children[focus.column + 1];
    if (cell !== focused) {
      focused?.classList.remove("focused");
      focused?.removeAttribute("id");
    }
    focused = cell;
    if (!cell) return element.removeAttribute("aria-activedescendant");
    cell.id = id;
    cell.classList.add("focused");
    return element.setAttribute("aria-activedescendant", id);
  };

  const toggle = (key, isOn = !selected.has(key)) => {
    if (isOn) selected.add(key);
    else selected.delete(key);
    const one = drawn.get(key);
    one?.element.setAttribute("aria-selected", String(isOn));
    const box = one?.element.querySelector("[data-mark]");
    if (box) box.checked = isOn;
    model.onSelect?.([...selected]);
  };

  const move = (row, column) => {
    focus = {
      row: Math.max(model.offset, Math.min(model.offset + model.count - 1, row)),
      column: Math.max(0, Math.min(columns.length - 1, column)),
    };
    const top = focus.row * HEIGHT;
    const view = element.clientHeight - 2 * HEIGHT;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top > element.scrollTop + view) element.scrollTop = top - view;
    draw();
  };

  const keys = {
    ArrowDown: () => move(focus.row + 1, focus.column),
    ArrowUp: () => move(focus.row - 1, focus.column),
    ArrowRight: () => move(focus.row, focus.column + 1),
    ArrowLeft: () => move(focus.row, focus.column - 1),
    PageDown: () => move(focus.row + 15, focus.column),
    PageUp: () => move(focus.row - 15, focus.column),
    Home: (event) => move(event.ctrlKey ? 0 : focus.row, 0),
    End: (event) => move(event.ctrlKey ? Infinity : focus.row, columns.length - 1),
    Enter: () => { const row = model.row(focus.row); if (row) model.onOpen(row.key); },
    F2: () => keys.Enter(),
    " ": () => { const row = model.row(focus.row); if (row) toggle(row.key); },
  };

  listenTo(element, "keydown", (event) => {
    const act = keys[event.key];
    if (!act || event.metaKey || event.altKey) return;
    event.preventDefault();
    act(event);
  });
  listenTo(element, "click", (event) => {
    const rowElement = event.target.closest(".grid-row");
    const found = [...drawn].find(([, one]) => one.element === rowElement);
    if (!found) return;
    const [key, { index }] = found;
    if (event.target.closest(".grid-mark")) {
      const isOn = !selected.has(key);
      if (event.shiftKey && anchor !== null) {
        for (let at = Math.min(anchor, index); at <= Math.max(anchor, index); at += 1) {
          const row = model.row(at);
          if (row) toggle(row.key, isOn);
        }
      } else toggle(key, isOn);
      anchor = index;
      return;
    }
    focus = { row: index, column: Number(event.target.closest("[data-column]")?.dataset.column ?? 0) };
    showFocus();
    model.onOpen(key);
  });
  listenTo(element, "scroll", draw, { passive: true });
  const resizing = new ResizeObserver(draw);
  resizing.observe(element);

  return {
    element,
    draw,
    clearSelection: () => { [...selected].forEach((key) => toggle(key, false)); },
    /** The keys of the rows that are selected. */
    get selection() { return [...selected]; },
    /** Sorts by the column that has the focus. */
    sort: () => model.onSort?.(columns[focus.column]),
    /** Keeps what is in sight where it is when rows before it come or go. */
    shift: (rows) => { element.scrollTop += rows * HEIGHT; },
  };
}
