import { ago, copyable, teaching } from "../base/teaching.js";
import { bin, button, closing, code, complain, confirm, dialog, facts, h, inline, inScope, loading, note, number, place, polled, section, select, show, spread, stack, t, table, toast } from "../base/ui.js";
import { eventKeyOf } from "./model.js";
import { change, eventOf, eventsOf } from "./store.js";

/** Events that are not delivered yet, and those that were given up. */

const MOST = 100;

export function eventsView() {
  const body = h("div.sections");
  const known = new Set();
  let trigger = "";
  // Instants are relative to now: they are drawn anew each minute.
  const load = async () => [...(await Promise.all([true, false].map((isDead) => eventsOf(isDead, trigger, MOST + 1)))), Math.floor(Date.now() / 60_000)];
  const reload = inScope(() => load().then(inScope(draw), complain));
  const draw = ([dead, waiting]) => {
    for (const one of [...dead, ...waiting]) known.add(one.trigger);
    const isNothing = dead.length + waiting.length === 0 && trigger === "";
    show(body, isNothing ? nothing() : [choice(), deadView(dead), section(t("events.waiting"), note(t("events.waitingText")), waitingView(waiting))]);
  };
  const choice = () => (known.size < 2 && trigger === "" ? null : inline(select([["", t("events.every")], ...[...known].sort()], trigger, { label: t("events.trigger"), onchange: ({ target }) => { trigger = target.value; reload(); } })));
  const act = async (name, selection) => {
    await change(name, selection).then((count) => toast(t(`events.${name}ed`, count)), complain);
    reload();
  };
  const discard = async (selection, text) => (await confirm(t("events.discard"), text, t("events.discard"))) && act("discard", selection);
  const deadView = (events) => {
    const title = h("h2", t("events.dead"));
    if (events.length === 0) return h("section.stack", title, note(t("events.noDead")));
    const all = trigger ? { trigger } : {};
    return h("section.stack", spread(title, inline(button(t("events.replayAll"), () => act("replay", all), { writes: true }), button(t("events.discardAll"), () => discard(all, t("events.discardAllText")), { writes: true }))), note(t("events.deadText")), table(["events.event", "events.trigger", "events.died", "events.attempts", "events.reason", null], events.slice(0, MOST).map((one) => [
      eventView(one), one.trigger, ago(one.died ?? one.time), number(one.attempts), reasonView(one),
      h("div.acts", button(t("events.replay"), () => act("replay", { id: one.id, trigger: one.trigger }), { writes: true }), bin(t("events.discardOf", one.subject || one.id), () => discard({ id: one.id, trigger: one.trigger }, t("events.discardText"))))])),
      more(events));
  };
  const waitingView = (events) => (events.length === 0 ? note(t("events.noWaiting")) : stack(table(["events.event", "events.trigger", "events.written", "events.attempts", "events.next", "events.reason"], events.slice(0, MOST).map((one) => [
    eventView(one), one.trigger, ago(one.time), number(one.attempts), one.due ? ago(one.due) : t("events.now"), reasonView(one)])), more(events)));
  return polled("events.text", 3_000, load, draw, body);
}

const reasonView = ({ reason = "" }) => h("span.clamped.mono", { title: reason }, reason);

const more = (events) => (events.length > MOST ? note(t("events.more", MOST)) : null);

const nothing = () => teaching("check", t("events.none"), t("events.noneText"), copyable(`brasa events triggers --project ${place.peek().project}`));

/** The thing that an event is about, which opens its data. */
function eventView(one) {
  const key = one.eventType ? eventKeyOf(one.eventType) : null;
  return h("div.cell-name", button(one.subject || one.id, () => dialog(one.subject || one.id, (close) => [dataView(one), closing(close)]), { class: "quiet start", label: t("events.show", one.subject || one.id) }), note(key ? t(key) : one.eventType ?? one.id));
}

const dataView = ({ id }) => loading(eventOf(id), ({ events, data }) => [
  facts(["events.id", code(id)], ["events.trigger", code(events.map((one) => one.trigger).join(", "))]),
  h("pre.scroll", { tabindex: 0, label: t("events.data") }, JSON.stringify(data, null, 2))]);
