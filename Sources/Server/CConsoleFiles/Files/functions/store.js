import { call, hasService, path, place, projectPath, withQuery } from "../base/ui.js";

/** What the server says of a project's functions, their lines, events and schedules. */

const root = () => projectPath(place.peek().project);

/** Whether the server runs functions. */
export const isServed = () => hasService("functions");

/** Functions with their last hour, and the sources in force. */
export const functionsOf = () => call("GET", `${root()}/functions`);

/** The lines behind a number. */
export const linesOf = (parameters) => call("GET", withQuery(`${root()}/functionLogs`, parameters));

/** Events that wait, or dead letters. */
export const eventsOf = async (isDead, trigger, pageSize) => (await call("GET", withQuery(`${root()}/triggerEvents`, { dead: isDead, trigger, pageSize }))).events;

/** An event with its data. */
export const eventOf = (id) => call("GET", `${root()}/triggerEvents${path(id)}`);

/** Delivers dead letters again, or discards them: of an event, of a trigger, or all. */
export const change = async (act, selection) => (await call("POST", `${root()}/triggerEvents:${act}`, selection)).count;

/** Schedules with their next times. */
export const schedulesOf = async () => (await call("GET", `${root()}/schedules`)).schedules;

/** Fires a schedule now. */
export const run = ({ name, codebase }) => call("POST", `${root()}/schedules:run`, { name, codebase });
