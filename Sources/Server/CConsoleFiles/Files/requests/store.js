import { call, consolePath } from "../base/ui.js";

/** Gives what asks for the requests of a project behind a number, of one outcome: "denials" or "allowed". */
export const requestsOf = (project, outcome) => async (number) => (await call("GET", `${consolePath(project, outcome)}?after=${number}`))[outcome];
