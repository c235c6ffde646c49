import { h, link, t } from "../base/ui.js";

/** The way to a folder. */
export function breadcrumbs(bucket, prefix, isHere = true) {
  const parts = prefix.split("/").slice(0, -1);
  const steps = parts.map((part, index) => ({ text: part || "/", prefix: parts.slice(0, index + 1).join("/") + "/" }));
  return h("ol.row.crumbs", [{ text: t("files.top"), prefix: "" }, ...steps].map((one, index) =>
    h("li", h("a", { href: link("files", [bucket], { prefix: one.prefix }), "aria-current": isHere && index === steps.length ? "location" : null, dir: "auto" }, one.text))));
}
