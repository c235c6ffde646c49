import { svg } from "./dom.js";

/** Small lines without axes, for tiles. */

/** The parts of a line: runs of numbers, as columns with their values; there is no line over what is not known. Pure. */
export function runsOf(values) {
  const runs = [];
  values.forEach((value, at) => {
    if (value === null) return;
    if (at > 0 && values[at - 1] !== null) runs.at(-1).push([at, value]);
    else runs.push([[at, value]]);
  });
  return runs;
}

const [WIDTH, HEIGHT, EDGE] = [200, 40, 3];

/** Points of a line in a drawing of that size; zero is above the lower edge, so that it shows. Pure. */
export function pointsOf(values) {
  const most = Math.max(0, ...values.map((value) => value ?? 0)) || 1;
  const x = (at) => (values.length < 2 ? WIDTH : (at / (values.length - 1)) * WIDTH);
  const y = (value) => HEIGHT - EDGE - (value / most) * (HEIGHT - 2 * EDGE);
  return runsOf(values).map((run) => run.map(([at, value]) => [x(at), y(value)]));
}

/** A line of numbers, null where there is none; for eyes only. */
export function spark(values) {
  const text = (run) => run.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
  return svg("svg.spark", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": true }, pointsOf(values).filter((run) => run.length > 1).map((run) => [
    svg("polygon.chart-area", { points: `${run[0][0].toFixed(1)},${HEIGHT} ${text(run)} ${run.at(-1)[0].toFixed(1)},${HEIGHT}` }), svg("polyline.chart-line", { points: text(run) })]));
}
