import { session, tabs } from "../base/ui.js";
import { jobsView } from "./jobs.js";
import { logView } from "./log.js";
import { metricsView } from "./metrics.js";

/** The server at work: figures of the last hour, its log, and jobs on what is stored. */
export function page() {
  const { role } = session.peek();
  return tabs("operations", { "operations.metrics": metricsView, ...(role === "viewer" ? {} : { "operations.log": logView }), ...(role === "owner" ? { "operations.jobs": jobsView } : {}) });
}
