import { report } from "../analytics/store.js";
import { bar } from "../base/chart.js";
import { blank, button, complain, dialog, facts, field, form, go, h, icon, inline, inScope, lead, link, loading, note, notice, number, place, primary, select, show, spread, svg, t, table, tableOr } from "../base/ui.js";
import { experimentOf, reach, withMembers, withoutExperiment } from "./experiment.js";
import { experimentForm, goalFields } from "./experimentForm.js";
import { publishReviewed } from "./publish.js";
import { experiments, load, result } from "./store.js";

/** Experiments: which there are, whom they are for, and what their variants came to. */
export function experimentsView(id) {
  const { project } = place.peek();
  const holder = h("div");
  const draw = inScope(() => show(holder, loading(Promise.all([experiments(project), load(project)]), ([all, { template }]) => {
    const one = id && all.find(({ experimentId }) => experimentId === id);
    return one ? experimentView(project, one, experimentOf(template, id), draw) : listView(project, all, template, draw);
  })));
  draw();
  return holder;
}

const open = (project, rest, query = {}) => go({ project, area: "config", rest: ["experiments", ...rest], query });

/** Publishes what becomes of the newest template, once somebody has looked at that, and follows it with `done`. */
async function change(project, draftOf, done) {
  try {
    const { template, etag } = await load(project);
    const draft = await draftOf(template);
    if (draft && (await publishReviewed(project, { base: template, draft, etag }))) done();
  } catch (error) {
    complain(error);
  }
}

/** Fills a form of experiments, as `experimentForm` has them; the template that it closes with. */
async function fillForm(project, title, members) {
  const [audiences, events] = await Promise.all([namesOf("audiences"), namesOf("events")]);
  return dialog(title, (close) => experimentForm(project, { audiences, events, ...members }, close), "wide");
}

/** What people call an experiment: its id, until it is renamed. */
const nameOf = ({ displayName, experimentId }) => displayName ?? experimentId;

// All of them

function listView(project, all, current, redraw) {
  const add = () => change(project, (template) => fillForm(project, t("experiment.add"), { template }), redraw);
  return [lead("experiment.text", primary(t("experiment.add"), add)),
    tableOr(blank("config", t("experiment.none")), ["experiment.id", "experiment.parameter", "experiment.exposure", "experiment.variants"], all.map((one) => [
      [h("a", { href: link("config", ["experiments", one.experimentId]), dir: "auto" }, nameOf(experimentOf(current, one.experimentId))), one.sampleRatioMismatch ? [" ", h("span.badge.error", icon("warning"), t("experiment.mismatch"))] : null],
      h("code", one.parameterKeys.join(", ")), exposureOf(one), one.variants.map(({ variantId, assigned }) => `${variantId} ${number(assigned)}`).join(" · ")]))];
}

const exposureOf = ({ exposurePercent: share }) => (share === 0 ? h("span.badge", t("experiment.stopped")) : percent(share / 100));

/** Names of a report of analytics; none where there is no analytics. */
const namesOf = (kind) => report(kind).then((answer) => answer[kind].map((one) => one.name), () => []);

// One of them

function experimentView(project, experiment, of, redraw) {
  const { experimentId: id, goal: own = {} } = experiment;
  const { query } = place.peek();
  const goal = query.event ? { event: query.event, measure: query.measure } : own;
  const choice = loading(namesOf("events"), (events) => goalChoice(project, id, goal, events));
  const edit = (others) => change(project, (template) => fillForm(project, t("experiment.edit"), { template, of: { ...experimentOf(template, id), ...others }, runs: true }), redraw);
  const stop = () => change(project, (template) => withMembers(template, id, { exposurePercent: 0 }), redraw);
  const copy = () => change(project, (template) => fillForm(project, t("experiment.add"), { template, of: experimentOf(template, id) }), () => open(project, []));
  const act = (key, work) => button(t(`experiment.${key}`), work, { writes: true });
  const actions = [act("edit", () => edit()), experiment.exposurePercent === 0 ? act("start", () => edit({ exposurePercent: 100 })) : act("stop", stop), act("duplicate", copy), act("end", () => change(project, (template) => end(template, experiment), () => open(project, [])))];
  const known = [["experiment.id", id], ["experiment.parameter", experiment.parameterKeys.join(", ")], ["experiment.exposure", exposureOf(experiment)], ["experiment.who", of.expression === "true" ? t("experiment.everybody") : h("code", of.expression)]];
  return [
    spread(h("p.grow", h("a", { href: link("config", ["experiments"]) }, t("config.experiments")), " / ", h("b", { dir: "auto" }, nameOf(of))), inline(actions)),
    of.description ? h("p", { dir: "auto" }, of.description) : null, facts(...known),
    choice, goal.event ? loading(result(project, id, goal), resultView) : [alarm(experiment, experiment.probability), table(["experiment.variant", "experiment.weight", "experiment.assigned"], experiment.variants.map((one) => [one.variantId, number(one.weight), number(one.assigned)]))],
  ];
}

function goalChoice(project, id, goal, events) {
  const fields = goalFields(goal, events);
  return h("form.row.goal", { onsubmit: () => open(project, [id], fields.read() ?? {}) }, fields.elements, h("button", { type: "submit" }, t("experiment.compare")));
}

/** The alarm of a sample ratio that is hardly chance. */
const alarm = ({ sampleRatioMismatch }, probability) => (sampleRatioMismatch ? notice("danger", t("experiment.alarm", small(probability))) : null);

function resultView(found) {
  const { variants, measure } = found;
  const isShare = measure === "users";
  const figure = (value) => (isShare ? percent(value) : number(Math.round(value * 1_000) / 1_000));
  const most = Math.max(0, ...variants.map((one) => one.mean ?? 0));
  const scale = reach(variants);
  return [alarm(found, found.sampleRatioProbability),
    table(["experiment.variant", "experiment.assigned", "experiment.seen", "experiment.reached", isShare ? "experiment.rate" : "experiment.mean", "experiment.difference"], variants.map((one, index) => [
      one.variantId, `${number(one.assigned)} (${t("experiment.weight")} ${number(one.weight)})`, number(one.seen), number(one.reached), one.mean === undefined ? "–" : bar(one.mean, most, figure(one.mean)),
      index === 0 ? t("experiment.isBaseline") : differenceView(one.difference, scale, figure, found.sampleRatioMismatch)])),
    note(t("experiment.resultText"))];
}

function differenceView(difference, scale, figure, isMismatch) {
  if (!difference) return t(isMismatch ? "experiment.notCompared" : "experiment.tooFew");
  const { value, low, high, probability, significant } = difference;
  const signed = (one) => `${one < 0 ? "−" : "+"}${figure(Math.abs(one))}`;
  return h("div.stack.tight", interval(difference, scale), h("span", h("b", signed(value)), ` (${t("experiment.interval", signed(low), signed(high))})`),
    h("span.note", t(significant ? "experiment.clear" : "experiment.unclear", small(probability))));
}

/** An interval beside zero, for eyes only: its ends are written below. */
function interval({ value, low, high }, scale) {
  const x = (one) => 80 + (one / scale) * 74;
  return svg("svg.interval", { viewBox: "0 0 160 16", width: 160, height: 16, "aria-hidden": true }, svg("line.chart-grid", { x1: 80, x2: 80, y1: 0, y2: 16 }),
    svg("line", { x1: x(low), x2: x(high), y1: 8, y2: 8, class: "chart-line" }), svg("circle", { cx: x(value), cy: 8, r: 4 }));
}

const percent = (share) => `${number(Math.round(share * 1_000) / 10)} %`;
const small = (probability) => (probability < 0.001 ? "p < 0.001" : `p = ${number(Math.round(probability * 1_000) / 1_000)}`);

/** Ends an experiment: everybody whom it is for gets one of its variants. */
function end(template, { experimentId: id, variants }) {
  const variant = select(variants.map((one) => [one.variantId, one.variantId]));
  return dialog(t("experiment.end"), (close) => form(close, t("config.take"), () => withoutExperiment(template, id, variant.value), h("p", t("experiment.endText")), field("experiment.variant", variant)));
}
