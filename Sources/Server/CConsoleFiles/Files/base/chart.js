import { h, svg } from "./dom.js";
import { number, t } from "./i18n.js";

/** Charts: drawings for eyes, each with a table of the same numbers for everybody. */

const [WIDTH, HEIGHT, LEFT, BOTTOM] = [720, 220, 48, 24];

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

/**
 * Numbers over time: `labels` name the columns, each series is `{name, values}`, null where there is none. Lines, or
 * columns where `isColumns`.
 */
export function chart(title, labels, series, { isColumns = false, format = number } = {}) {
  const most = Math.max(0, ...series.flatMap((one) => one.values.map((value) => value ?? 0)));
  const ticks = ticksOf(most);
  const y = (value) => HEIGHT - BOTTOM - (value / ticks.at(-1)) * (HEIGHT - BOTTOM - 8);
  const x = (index) => LEFT + ((index + 0.5) / labels.length) * (WIDTH - LEFT - 8);
  const marks = series.map((one, index) => (isColumns ? columnsOf(one, x, y, labels) : lineOf(one, x, y, index)));
  const text = (properties, content) => svg("text", properties, content);
  const drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart", "aria-hidden": "true" },
    ticks.map((tick) => [svg("line", { x1: LEFT, x2: WIDTH - 8, y1: y(tick), y2: y(tick), class: "chart-grid" }), text({ x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end" }, format(tick))]),
    sparse(labels.length, 8).map((index) => text({ x: x(index), y: HEIGHT - 6, "text-anchor": "middle" }, labels[index])), marks);
  return h("figure", { class: "stack tight" }, h("figcaption", {}, h("h2", {}, title), series.length > 1 ? legend(series) : null), drawing, alternative(title, labels, series, format));
}

const lineOf = (one, x, y, index) => svg("polyline", { class: `chart-line series-${index}`, points: one.values.map((value, at) => (value === null ? "" : `${x(at).toFixed(1)},${y(value).toFixed(1)}`)).join(" ") });

function columnsOf(one, x, y, labels) {
  const width = Math.max(1, (WIDTH - LEFT - 8) / labels.length - 2);
  return one.values.map((value, at) => (value ? svg("rect", { class: "chart-column", x: x(at) - width / 2, width, y: y(value), height: Math.max(1, y(0) - y(value)) }) : null));
}

const legend = (series) => h("ul", { class: "row legend" }, series.map((one, index) => h("li", { class: `series-${index}` }, one.name)));

/** The numbers as a table. */
function alternative(title, labels, series, format) {
  const head = h("tr", {}, h("td", {}), series.map((one) => h("th", { scope: "col" }, one.name)));
  const rows = labels.map((label, at) => h("tr", {}, h("th", { scope: "row" }, label), series.map((one) => h("td", {}, one.values[at] === null ? "–" : format(one.values[at])))));
  return h("details", {}, h("summary", {}, t("chart.table")), h("div", { class: "scroll chart-table", tabindex: 0, role: "group", "aria-label": title }, h("table", { class: "table" }, h("thead", {}, head), h("tbody", {}, rows))));
}

/** A bar as long as its share of the most, beside a number. */
export const bar = (value, most, text = number(value)) => h("span", { class: "share" }, h("span", { class: "share-bar", style: { "inline-size": `${most > 0 ? Math.max(1, (value / most) * 100) : 0}%` } }), h("span", {}, text));

/** How much a number has changed, in words. Pure. */
export function changeOf(now, before) {
  if (before === 0) return now === 0 ? "±0" : "+∞";
  const change = Math.round(((now - before) / before) * 100);
  return `${change > 0 ? "+" : change < 0 ? "−" : "±"}${Math.abs(change)} %`;
}
