import { h, show, svg } from "./dom.js";
import { language, number, t } from "./i18n.js";
import { runsOf } from "./spark.js";
import { onCleanup } from "./signal.js";
import { foldable } from "./views.js";

export { runsOf } from "./spark.js";

/** Charts: drawings at the pixels of their card, values under the pointer or the arrow keys, and a table of the same numbers. */

const [HEIGHT, TOP, RIGHT, BOTTOM] = [220, 10, 12, 26];
/** About the width of a character of the labels, and the room beside them. */
const [CHARACTER, GAP] = [6.8, 12];

/** Which columns are pointed at and which tables are open, by title: a chart that is drawn anew with the next figures shows them again. */
const pointed = new Map();
const opened = new Set();

/** Round steps from zero to at least a number: at most `count` of them. Pure. */
export function ticksOf(most, count = 4) {
  if (!(most > 0)) return [0, 1];
  const rough = most / count;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max([1, 2, 5, 10].find((one) => one * unit >= rough) * unit, 1);
  const ticks = [];
  for (let index = 0; index * step < most + step; index += 1) ticks.push(index * step);
  return ticks;
}

/** Which of the labels are written, so that at most `most` are. Pure. */
export const sparse = (count, most) => {
  const step = Math.max(1, Math.ceil(count / most));
  return Array.from({ length: count }, (_, index) => index).filter((index) => index % step === 0);
};

/** Where things are in a drawing of a width: the labels of both axes have room, whatever they say. Pure. */
export function frameOf(width, labels, ticks) {
  const widest = (texts) => Math.max(0, ...texts.map((text) => text.length)) * CHARACTER;
  const left = Math.ceil(widest(ticks.map(({ text }) => text)) + GAP);
  const room = Math.max(1, width - left - RIGHT);
  const last = ticks.at(-1).value;
  return {
    left, right: width - RIGHT, step: room / labels.length,
    x: (index) => left + ((index + 0.5) / labels.length) * room,
    y: (value) => HEIGHT - BOTTOM - (value / last) * (HEIGHT - BOTTOM - TOP),
    indexAt: (x) => Math.min(labels.length - 1, Math.max(0, Math.floor(((x - left) / room) * labels.length))),
    written: sparse(labels.length, Math.max(1, Math.floor(room / (widest(labels) + 2 * GAP)))),
  };
}

/**
 * Numbers over time: `labels` name the columns, each series is `{name, values}`, null where there is none. Lines, or
 * columns where `isColumns`.
 */
export function chart(title, labels, series, { isColumns = false, format = number } = {}) {
  const most = Math.max(0, ...series.flatMap((one) => one.values.map((value) => value ?? 0)));
  const head = h("figcaption", h("h2", title), series.length > 1 ? legend(series) : null);
  const body = most > 0 ? plot(title, labels, series, { isColumns, format, most }) : h("p.chart-nothing.muted", t("chart.nothing"));
  return h("figure.stack.tight", head, body, alternative(title, labels, series, format));
}

/** The drawing, which follows the width of its card, with what shows the values of a column. */
function plot(title, labels, series, { isColumns, format, most }) {
  const ticks = ticksOf(most).map((value) => ({ value, text: format(value) }));
  const drawing = svg("svg", { "aria-hidden": true, height: HEIGHT });
  const tip = h("div.chart-tip", { hidden: true, "aria-hidden": true });
  const valuesAt = (index) => series.map((one) => [one.name, one.values[index] === null ? "–" : format(one.values[index])]);
  const element = h("div.chart", { tabindex: 0, role: "slider", label: title, "aria-valuemin": 1, "aria-valuemax": labels.length, "aria-orientation": "horizontal" }, drawing, tip);
  let frame = null;
  const point = (index) => {
    if (index === null) pointed.delete(title);
    else pointed.set(title, index);
    const at = index ?? labels.length - 1;
    element.setAttribute("aria-valuenow", at + 1);
    element.setAttribute("aria-valuetext", `${labels[at]}: ${valuesAt(at).map(([name, value]) => `${name} ${value}`).join(", ")}`);
    tip.hidden = index === null || frame === null;
    drawing.querySelector(".chart-cross")?.remove();
    if (tip.hidden) return;
    drawing.append(cross(frame, index, series));
    show(tip, h("b", labels[index]), valuesAt(index).map(([name, value], one) => h("div", { class: `series-${one}` }, h("span", series.length > 1 ? `${name} ` : ""), h("span.chart-value", value))));
    const isRight = frame.x(index) > (frame.left + frame.right) / 2;
    tip.style.setProperty("inset-inline-start", isRight ? "auto" : `${frame.x(index) + GAP}px`);
    tip.style.setProperty("inset-inline-end", isRight ? `${element.clientWidth - frame.x(index) + GAP}px` : "auto");
  };
  const draw = () => {
    if (element.clientWidth === 0) return;
    frame = frameOf(element.clientWidth, labels, ticks);
    drawing.setAttribute("width", element.clientWidth);
    show(drawing, axes(frame, labels, ticks), series.map((one, index) => (isColumns ? columnsOf(one, frame) : lineOf(one, frame, index))));
    const before = pointed.get(title);
    point(before === undefined ? null : Math.min(before, labels.length - 1));
  };
  element.addEventListener("pointermove", (event) => frame && point(frame.indexAt(event.clientX - element.getBoundingClientRect().left)));
  element.addEventListener("pointerleave", () => point(null));
  element.addEventListener("blur", () => point(null));
  element.addEventListener("keydown", (event) => {
    const last = labels.length - 1;
    const now = pointed.get(title) ?? last + 1;
    const to = { ArrowLeft: Math.max(0, now - 1), ArrowRight: Math.min(last, now + 1), Home: 0, End: last, Escape: null }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    point(to);
  });
  point(null);
  const observer = new ResizeObserver(draw);
  observer.observe(element);
  onCleanup(() => observer.disconnect());
  return element;
}

const axes = ({ left, right, x, y, written }, labels, ticks) => [
  ticks.map(({ value, text }) => [svg("line", { x1: left, x2: right, y1: y(value), y2: y(value), class: "chart-grid" }), svg("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, text)]),
  written.map((index) => svg("text", { x: x(index), y: HEIGHT - 6, "text-anchor": "middle" }, labels[index]))];

const lineOf = (one, { x, y }, index) => runsOf(one.values).map((run) => {
  if (run.length === 1) return svg("circle", { class: `chart-dot series-${index}`, cx: x(run[0][0]), cy: y(run[0][1]), r: 2.5 });
  const points = run.map(([at, value]) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const area = index === 0 ? svg("polygon.chart-area.series-0", { points: `${x(run[0][0]).toFixed(1)},${y(0)} ${points} ${x(run.at(-1)[0]).toFixed(1)},${y(0)}` }) : null;
  return [area, svg("polyline", { class: `chart-line series-${index}`, points })].filter(Boolean);
});

const columnsOf = (one, { x, y, step }) => one.values.map((value, at) => (value ? svg("rect.chart-column", { x: x(at) - Math.max(1, step - 2) / 2, width: Math.max(1, step - 2), y: y(value), height: Math.max(1, y(0) - y(value)) }) : null));

const cross = ({ x, y }, index, series) => svg("g.chart-cross", svg("line", { x1: x(index), x2: x(index), y1: TOP, y2: y(0) }),
  series.map((one, at) => (one.values[index] === null ? null : svg("circle", { class: `chart-dot series-${at}`, cx: x(index), cy: y(one.values[index]), r: 3.5 }))));

const legend = (series) => h("ul.row.legend", series.map((one, index) => h("li", { class: `series-${index}` }, one.name)));

/** The numbers as a table. */
function alternative(title, labels, series, format) {
  const head = h("tr", h("td"), series.map((one) => h("th", { scope: "col" }, one.name)));
  const rows = labels.map((label, at) => h("tr", h("th", { scope: "row" }, label), series.map((one) => h("td", one.values[at] === null ? "–" : format(one.values[at])))));
  return foldable(opened, title, t("chart.table"), h("div.scroll.chart-table", { tabindex: 0, role: "group", label: title }, h("table.table", h("thead", head), h("tbody", rows))));
}

/** A bar as long as its share of the most, beside a number. */
export const bar = (value, most, text = number(value)) => h("span.share", h("span.share-bar", { style: { "inline-size": `${most > 0 ? Math.max(1, (value / most) * 100) : 0}%` } }), h("span", text));

/** How much a number has changed, in words: what was not there before is new. */
export function changeOf(now, before) {
  if (before === 0) return now === 0 ? "–" : t("chart.new");
  return new Intl.NumberFormat(language.peek(), { style: "percent", signDisplay: "exceptZero", maximumFractionDigits: 0 }).format((now - before) / before);
}

/** How much a number has changed, with a sign of its direction. */
export const change = (now, before) => h("span", { class: now > before ? "up" : now < before ? "down" : "muted" }, changeOf(now, before));

/** A day such as `2026-11-23`, as short as people write it. */
export const dayText = (day) => new Intl.DateTimeFormat(language.peek(), { day: "numeric", month: "short", timeZone: "UTC" }).format(new Date(day));
