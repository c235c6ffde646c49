import { call, path } from "./api.js";
import { complain, confirm } from "./dialog.js";
import { h, show } from "./dom.js";
import { t } from "./i18n.js";
import { bin, failure } from "./views.js";

/**
 * A list of things that are added and removed: `draw` makes its rows of the answer; `remove` asks before one goes, with
 * a title and the key of a text; `act` makes another call about one, below the path of `things`; `done` gets the answers
 * of both.
 */
export function managed(root, draw, things = root, done = () => {}) {
  const rows = h("div");
  const load = () => call("GET", root).then((answer) => show(rows, draw(answer, remove, act)), (error) => show(rows, failure(error)));
  const act = async (method, id, body) => {
    await call(method, things + path(id), body).then(done, complain);
    load();
  };
  const remove = async (title, textKey, id) => (await confirm(title, t(textKey), title)) && act("DELETE", id);
  load();
  return { rows, load };
}

/** The button that removes one. */
export const remover = (title, textKey, id, remove) => bin(title, () => remove(title, textKey, id));
