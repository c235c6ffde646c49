import { h, t } from "../base/ui.js";

const SIGNS = { same: " ", added: "+", removed: "-" };

/** Lines of a comparison, as `diffLines` gives them. */
export const diffView = (lines, label = t("rules.differences")) => h("div.diff", { tabindex: 0, role: "region", label: label }, lines.map(({ kind, text }) => h("div", { class: kind }, `${SIGNS[kind]} ${text}`)));
