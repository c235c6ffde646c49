/** What pages are made of. */
export * from "./api.js";
export * from "./dialog.js";
export * from "./dom.js";
export * from "./i18n.js";
export * from "./navigation.js";
export * from "./signal.js";
export * from "./views.js";
