import { ago, copyable } from "../base/teaching.js";
import { bin, boxed, button, confirmed, dialog, field, form, h, icon, inline, input, lead, note, place, primary, select, stack, stateBadge, t, table } from "../base/ui.js";
import { endToneOf, idOf, versionOf } from "./model.js";
import { createChannel, extendChannel, remove } from "./store.js";

/** The lives that a preview is given, in seconds. */
const LIVES = [["3600", "hosting.hour"], ["86400", "hosting.day"], ["604800", "hosting.week"], ["2592000", "hosting.month"]];
const WEEK = "604800";

/** Previews of a site, and when they end. */
export function channelsView({ site, channels, reload }) {
  const previews = channels.filter((one) => idOf(one) !== "live");
  const done = (changed) => changed && reload();
  const create = () => dialog(t("hosting.newChannel"), (close) => channelForm(site, close)).then(done);
  return stack(lead("hosting.channelsText", primary(t("hosting.newChannel"), create)),
    previews.length === 0 ? boxed(h("h2", t("hosting.noChannel")), note(t("hosting.noChannelText")), copyable(`brasa hosting deploy --channel preview --project ${place.peek().project}`))
      : table(["hosting.channel", "hosting.address", "hosting.shows", "hosting.ends", null], previews.map((one) => row(one, reload, done))));
}

function row(channel, reload, done) {
  const id = idOf(channel);
  const tone = endToneOf(channel, Date.now());
  return [
    id, channel.url ? h("a", { href: channel.url, target: "_blank", rel: "noopener noreferrer" }, channel.url.replace(/^https?:\/\//, ""), " ", icon("link")) : "–",
    channel.release ? inline(h("code", versionOf(channel.release) ?? "–"), ago(channel.release.releaseTime)) : stateBadge("muted", t("hosting.empty")),
    tone === "warn" ? stateBadge("warn", ago(channel.expireTime)) : channel.expireTime ? ago(channel.expireTime) : "–",
    inline(button(t("hosting.extend"), () => dialog(t("hosting.extendOf", id), (close) => lifeForm(channel, close)).then(done), { writes: true, label: t("hosting.extendOf", id) }), bin(t("hosting.deleteOf", id), () => discard(channel, reload)))];
}

const lifeChoice = () => select(LIVES.map(([seconds, key]) => [seconds, t(key)]), WEEK);

function channelForm(site, close) {
  const [id, life] = [input("", { autofocus: true }), lifeChoice()];
  const save = async () => {
    await createChannel(site, id.value.trim(), life.value);
    return true;
  };
  return form(close, t("hosting.create"), save, field("name", id), field("hosting.life", life), note(t("hosting.channelName")));
}

function lifeForm(channel, close) {
  const life = lifeChoice();
  const save = async () => {
    await extendChannel(channel, life.value);
    return true;
  };
  return form(close, t("hosting.extend"), save, field("hosting.lifeFromNow", life));
}

async function discard(channel, reload) {
  const id = idOf(channel);
  await confirmed(t("hosting.deleteOf", id), t("hosting.deleteText"), () => remove(channel), t("hosting.deleted", id), t("delete"));
  reload();
}
