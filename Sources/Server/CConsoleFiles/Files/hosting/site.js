import { ago, copyable } from "../base/teaching.js";
import { bytesText, dialog, facts, field, form, go, h, icon, inline, input, loading, note, place, quiet, select, show, stack, stateBadge, t } from "../base/ui.js";
import { idOf, versionOf } from "./model.js";
import { channelsOf, createSite, sitesOf } from "./store.js";

/** The site that the address names, or the first, with what it shows now and a view of it below. */
export const siteView = (view) => loading(sitesOf(), (sites) => {
  const site = sites.find((one) => idOf(one) === place.peek().query.site) ?? sites[0];
  const holder = stack();
  if (!site) return stack(note(t("hosting.noSite")), newSite());
  const draw = async () => {
    const channels = await channelsOf(site).catch(() => []);
    show(holder, head(site, sites, channels), view({ site, channels, reload: draw }));
  };
  return loading(draw(), () => holder);
});

/** Shows another site in the same view. */
const choose = (name) => go({ ...place.peek(), query: { site: name } });

function head(site, sites, channels) {
  const { release } = channels.find((one) => idOf(one) === "live") ?? {};
  const version = release?.version;
  return h("section.panel.site",
    h("div.stack.grow", inline(sites.length > 1 ? select(sites.map((one) => [idOf(one), idOf(one)]), idOf(site), { label: t("hosting.site"), onchange: ({ target }) => choose(target.value) }) : h("h2", idOf(site)),
      version ? stateBadge("ok", t("hosting.live")) : stateBadge("muted", t(release ? "hosting.disabled" : "hosting.empty")), newSite()),
    site.defaultUrl ? copyable(site.defaultUrl) : note(t("hosting.noAddress")),
    site.defaultUrl && version ? h("div", h("a.button", { href: site.defaultUrl, target: "_blank", rel: "noopener noreferrer" }, icon("link"), t("hosting.open"))) : null),
    version ? facts(["hosting.version", h("code", versionOf(release))], ["hosting.released", ago(release.releaseTime)], ["hosting.files", t("hosting.filesText", Number(version.fileCount ?? 0), bytesText(Number(version.versionBytes ?? 0)))], ["hosting.by", release.releaseUser?.email || "–"]) : null);
}

const newSite = () => quiet([icon("plus"), t("hosting.newSite")], () => dialog(t("hosting.newSite"), siteForm).then((name) => name && choose(name)), { writes: true });

function siteForm(close) {
  const name = input(`${place.peek().project}-`, { autofocus: true });
  return form(close, t("hosting.create"), async () => idOf(await createSite(name.value.trim())), field("name", name), note(t("hosting.nameText", place.peek().project)));
}

