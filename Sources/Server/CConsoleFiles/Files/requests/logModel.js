/** What the log of requests knows of each, and which fit a filter. Pure. */

/** The products by the paths of their requests; the first that fits. */
const PRODUCTS = [
  ["console", /^\/(__\/)?console\b/],
  ["firestore", /^\/(google\.firestore\.|v1(beta1)?\/projects\/[^/]+\/databases\b)/],
  ["storage", /^\/(v0\/b\b|storage\/v1\b|(upload|download|resumable)\/storage\b)/],
  ["messages", /^\/(fcm\b|iid\b|v1\/projects\/[^/]+\/(messages|registrations)\b)|\/batch\/v1/],
  ["config", /\/remoteConfig\b|\/namespaces\//],
  ["rules", /^\/v1\/projects\/[^/]+(:test$|\/(releases|rulesets)\b)/],
  ["functions", /\/(functions|triggers)\b/],
  ["hosting", /\/sites\b/],
  ["analytics", /\/analytics\b|^\/g\/collect/],
  ["users", /\/accounts\b|^\/v[12]\/(accounts|recaptcha|token|projects\/[^/]+\/config)|identitytoolkit|securetoken|^\/__\/auth/],
  ["server", /^\/(healthz|readyz|livez|metrics)\b|^\/grpc\.health/],
];

export const NAMES = [...PRODUCTS.map(([name]) => name), "other"];

/** The product that a path belongs to. */
export const productOf = (path) => PRODUCTS.find(([, pattern]) => pattern.test(path))?.[0] ?? "other";

/** A request as a filter sees it. */
const fieldsOf = (one) => ({ status: one.status, method: one.method, path: one.path, caller: one.caller ?? null, address: one.address, id: one.request, ms: one.microseconds === undefined ? null : one.microseconds / 1_000, product: productOf(one.path) });

export const FIELDS = ["status", "method", "path", "caller", "address", "id", "ms", "product"];

const plain = (value) => {
  if (value.arrayValue) return (value.arrayValue.values ?? []).map(plain);
  if (value.integerValue !== undefined) return Number(value.integerValue);
  if (value.referenceValue !== undefined) return value.referenceValue.split("/").at(-1);
  return value.stringValue ?? value.doubleValue ?? value.booleanValue ?? null;
};

const COMPARISONS = {
  EQUAL: (one, other) => one === other, NOT_EQUAL: (one, other) => one !== other,
  LESS_THAN: (one, other) => one !== null && one < other, LESS_THAN_OR_EQUAL: (one, other) => one !== null && one <= other,
  GREATER_THAN: (one, other) => one !== null && one > other, GREATER_THAN_OR_EQUAL: (one, other) => one !== null && one >= other,
  IN: (one, others) => others.includes(one), NOT_IN: (one, others) => !others.includes(one),
  ARRAY_CONTAINS: (one, other) => String(one ?? "").includes(other), ARRAY_CONTAINS_ANY: (one, others) => others.some((other) => String(one ?? "").includes(other)),
};

/** Whether a request fits a filter of a query, as the filter bar reads it; `contains` is about parts of texts. */
export function fits(filter, one) {
  if (!filter) return true;
  if (filter.compositeFilter) {
    const { op, filters } = filter.compositeFilter;
    return op === "OR" ? filters.some((part) => fits(part, one)) : filters.every((part) => fits(part, one));
  }
  const known = fieldsOf(one);
  const { field, op, value } = filter.fieldFilter ?? filter.unaryFilter;
  const name = field.fieldPath === "__name__" ? "id" : field.fieldPath;
  const found = known[name] ?? null;
  if (!value) return (found === null) === (op === "IS_NULL" || op === "IS_NAN");
  return COMPARISONS[op](found, plain(value));
}

/** Whether any text of a request has a word in it. */
export const hasWord = (word, one) => [one.path, one.caller, one.address, one.request, one.method, String(one.status)].some((text) => text?.toLowerCase().includes(word));

/** Whether a status is of a group: "errors" or its first digit. */
export const isOf = (group, status) => !group || (group === "errors" ? status >= 400 : String(status)[0] === group[0]);
