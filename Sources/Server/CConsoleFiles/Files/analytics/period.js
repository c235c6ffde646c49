import { csv } from "../base/csv.js";
import { button, go, h, input, keepFile, place, t } from "../base/ui.js";
import { periodTo } from "./model.js";

const LENGTHS = [1, 7, 28, 90];

/** The choice of the days that reports are about; it is in the address. */
export function periodChoice({ from, to }) {
  const set = (period) => { const { query, ...rest } = place.peek(); go({ ...rest, query: { ...query, ...period } }, { replace: true }); };
  const first = input(from, { type: "date", label: t("analytics.from") });
  const last = input(to, { type: "date", label: t("analytics.to") });
  const today = new Date().toISOString().slice(0, 10);
  return h("form.row.period", { onsubmit: () => { set({ from: first.value, to: last.value }); } },
    LENGTHS.map((days) => button(t("analytics.days", days), () => set(periodTo(today, days)))), first, last, h("button", { type: "submit" }, t("analytics.apply")));
}

/** A button that keeps rows as CSV. */
export const csvButton = (name, makeRows) => button(t("analytics.csv"), () => keepFile(`${name}.csv`, csv(makeRows())));
