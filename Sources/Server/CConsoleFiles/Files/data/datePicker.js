import { button, dialog, field, form, h, input, note, select, show, t } from "../base/ui.js";
import { instantFrom, localText } from "./instants.js";

/** Asks for an instant by the browser's own calendar, in its zone or in UTC; gives its text, null where the person left. */
export const pickInstant = (label, text) => dialog(t("instant.of", label), (close) => {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zone = select([["here", here], ["utc", "UTC"]], "here", { onchange: () => { control.value = localText(chosen, isUTC()); } });
  const isUTC = () => zone.value === "utc";
  let chosen = Number.isNaN(Date.parse(text)) ? "" : text;
  const said = h("code", chosen);
  const take = (next) => {
    chosen = next ?? "";
    show(said, chosen);
  };
  const control = input(localText(chosen, false), { type: "datetime-local", step: 1, autofocus: true, oninput: () => take(instantFrom(control.value, isUTC(), chosen)) });
  const now = () => {
    take(`${new Date().toISOString().slice(0, 19)}Z`);
    control.value = localText(chosen, isUTC());
  };
  return form(close, t("instant.take"), () => chosen || undefined,
    h("div.row.instant", field("instant.when", control), field("instant.zone", zone), button(t("instant.now"), now)), note(said));
});
