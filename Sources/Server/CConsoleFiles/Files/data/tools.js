import { complain, h, icon, quiet, t } from "../base/ui.js";

/** The buttons of a table's documents; what they do is loaded when somebody presses one. */

/** Runs what a module that is loaded now does; says where it cannot be loaded. */
export const withModule = (load, act) => async (...values) => {
  try {
    return await act(await load(), ...values);
  } catch (error) {
    complain(error);
  }
};

/** The button that changes every document of the open query. */
export const bulkButton = (where, collection, query) => quiet([icon("edit"), t("bulk")], withModule(() => import("./bulkDialog.js"), (module) => module.changeAll(where, collection, query)), { writes: true });

/** The buttons that make files of the open query's documents, and documents of a file. */
export function transferButtons(where, collection, query) {
  const load = () => import("./transferDialogs.js");
  const bring = withModule(load, async (module, chosen) => module.bring(where, collection, chosen.name, await chosen.text()));
  const save = (kind) => withModule(load, (module) => module.saveAs(where, collection, query, kind));
  const file = h("input", { type: "file", accept: ".csv,.tsv,.jsonl,.ndjson,.json", hidden: true, label: t("transfer.import"), onchange: () => {
    const [chosen] = file.files;
    if (chosen) bring(chosen).finally(() => { file.value = ""; });
  } });
  return [quiet(t("transfer.csv"), save("csv")), quiet(t("transfer.json"), save("jsonl")), file, quiet([icon("plus"), t("transfer.import")], () => file.click(), { writes: true })];
}
