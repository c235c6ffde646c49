import { bar } from "../base/chart.js";
import { command } from "../base/commands.js";
import { blank, button, code, complain, confirmed, facts, go, h, icon, inline, instant, isText, lead, link, loading, muted, number, place, poll, primary, show, spread, stack, t, table, tableOr, tabs, textOr } from "../base/ui.js";
import { composer } from "./composer.js";
import { credentialsView } from "./credentials.js";
import { idOf, reasonsOf, stageOf, STATES, totalsOf } from "./model.js";
import { cancel, deliveries, get, list, topics } from "./store.js";

/** Messages to devices: composed, sent now or later, and what became of them. */

export const page = () => tabs("messages", { "messages.sent": listView, "messages.compose": composer, "messages.topics": topicsView, "messages.credentials": credentialsView });

const compose = () => go({ project: place.peek().project, area: "messages", rest: ["compose"] });

function listView(id) {
  const { project } = place.peek();
  if (id) return reportView(project, id);
  const rows = h("div");
  const more = h("div");
  const state = { older: [], next: null };
  const draw = (newest) => {
    const all = [...newest, ...state.older];
    show(rows, messageTable(all));
  };
  const take = ({ messages, nextPageToken = null }) => {
    // Where the newest have changed, older pages are asked for anew.
    Object.assign(state, { older: [], next: nextPageToken });
    draw(messages);
    drawMore(messages);
  };
  const drawMore = (newest) => show(more, state.next ? button(t("users.more"), async () => {
    try {
      const { messages, nextPageToken = null } = await list(project, state.next);
      state.older.push(...messages);
      state.next = nextPageToken;
      draw(newest);
      drawMore(newest);
    } catch (error) {
      complain(error);
    }
  }) : null);
  const { pause, problem } = poll(3_000, () => list(project), take);
  command({ label: () => t("messages.new"), keys: "n", writes: true, run: compose });
  return stack(lead("messages.text", pause, primary(t("messages.new"), compose)), problem, rows, more);
}

/** To whom a message goes; the server says it in English, a word for the kind and then the name. */
function targetText({ target = "" }) {
  const [, kind, name] = /^(registration|topic|condition|user|audience) (.*)$/s.exec(target) ?? [];
  return kind ? t(`messageTarget.${kind}`, name) : target;
}

const stageBadge = (message) => h("span.badge", icon({ done: "check", scheduled: "history" }[stageOf(message)] ?? "play"), t(`messageStage.${stageOf(message)}`));

const stateList = (deliveries) => {
  const totals = totalsOf(deliveries);
  return STATES.filter((state) => totals[state]).map((state) => `${t(`delivery.${state}`)} ${number(totals[state])}`).join(" · ") || "–";
};

const messageTable = (messages) => tableOr(blank("messages", t("messages.none")), ["messages.title", "messages.target", "messages.time", "state", "messages.deliveries"], messages.map((message) => [
  h("a", { href: link("messages", ["sent", idOf(message)]) }, message.title || message.label || idOf(message)),
  targetText(message), instant(message.time), stageBadge(message), stateList(message.deliveries)]));

// One message

function reportView(project, id) {
  const body = stack(muted(t("loading")));
  const load = () => Promise.all([get(project, id), deliveries(project, id)]);
  const { problem } = poll(3_000, load, ([message, made]) => show(body, report(project, id, message, made)));
  return stack(problem, body);
}

function report(project, id, message, made) {
  const takeBack = () => confirmed(t("messages.cancel"), t("messages.cancelText"), () => cancel(project, id), t("messages.cancelled"));
  const again = button(t("messages.duplicate"), () => go({ project, area: "messages", rest: ["compose"], query: { from: id } }), { writes: true });
  const known = [["messages.time", instant(message.time)], ["messages.target", targetText(message)], ["messages.origin", message.origin && textOr(`origin.${message.origin}`, message.origin)], ["messages.label", message.label], ["messages.id", id]];
  return [
    spread(inline(h("h2", { dir: "auto" }, message.message?.notification?.title || id), stageBadge(message)),
      inline(again, message.stage === "scheduled" ? button([icon("trash"), t("messages.cancel")], takeBack, { class: "danger", writes: true }) : null)),
    facts(...known),
    h("h3", t("messages.deliveries")), stateTable(message.deliveries), reasonTable(made), deliveryTable(made),
    h("details", h("summary", t("messages.json")), h("pre", JSON.stringify(message.message, null, 2))),
  ];
}

function stateTable(byTransport) {
  const transports = Object.entries(byTransport);
  if (transports.length === 0) return h("p", t("messages.noDelivery"));
  const rows = transports.flatMap(([transport, states]) => {
    const sum = Object.values(states).reduce((all, count) => all + Number(count), 0);
    return STATES.filter((state) => states[state]).map((state) => [t(`transport.${transport}`), t(`delivery.${state}`), bar(Number(states[state]), sum)]);
  });
  return table(["messages.transport", "state", "messages.count"], rows);
}

/** Why a delivery ended: ours as a sentence, a push service's in its words. */
const reasonText = (reason) => (isText(`reason.${reason}`) ? t(`reason.${reason}`) : code(reason));

function reasonTable(made) {
  const reasons = reasonsOf(made);
  if (reasons.length === 0) return null;
  return [h("h3", t("messages.reasons")), table(["messages.transport", "analytics.code", "messages.count"], reasons.map(([transport, reason, count]) => [t(`transport.${transport}`), reasonText(reason), number(count)]))];
}

function deliveryTable(made) {
  if (made.length === 0) return null;
  return h("details", h("summary", t("messages.each", made.length)), table(["messages.registration", "messages.transport", "state", "messages.time", "analytics.code"], made.slice(0, 200).map((one) => [
    one.registration, t(`transport.${one.transport}`), t(`delivery.${one.state}`), instant(one.time), one.reason ? reasonText(one.reason) : "–"])));
}

// Topics

function topicsView() {
  const { project } = place.peek();
  return loading(topics(project), (all) => tableOr("messages.noTopic", ["target.topic", "messages.registrations", null], all.map(({ name, registrations }) => [
    h("code", name), number(registrations), h("a.button", { href: link("messages", ["compose"], { topic: name }) }, t("messages.sendTo", name))])));
}
