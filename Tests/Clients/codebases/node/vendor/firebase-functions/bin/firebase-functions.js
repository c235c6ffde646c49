#!/usr/bin/env node
// The manifest of a source, by a file or over HTTP, as Google's package hands it out.

const fs = require("fs"), http = require("http"), path = require("path");

function manifest(folder) {
  const endpoints = {};
  const walk = (found, names) => {
    for (const [name, value] of Object.entries(found)) {
      const all = [...names, name];
      if (typeof value === "function" && value.__endpoint) {
        endpoints[all.join("-")] = { platform: "gcfv2", ...value.__endpoint, entryPoint: all.join(".") };
      } else if (value && typeof value === "object") {
        walk(value, all);
      }
    }
  };
  walk(require(path.resolve(folder)), []);
  return JSON.stringify({ specVersion: "v1alpha1", endpoints, requiredAPIs: [], extensions: {}, params: [] });
}

const folder = process.argv[2] || ".";
const answersOverHTTP = fs.existsSync(path.join(folder, "over-http"));
if (process.env.FUNCTIONS_MANIFEST_OUTPUT_PATH && !answersOverHTTP) {
  fs.writeFileSync(process.env.FUNCTIONS_MANIFEST_OUTPUT_PATH, manifest(folder));
  process.exit(0);
}
http.createServer((request, response) => {
  if (request.url === "/__/quitquitquit") process.exit(0);
  try {
    response.setHeader("Content-Type", "text/yaml");
    response.end(manifest(folder));
  } catch (error) {
    response.statusCode = 400;
    response.end(String(error.message));
  }
}).listen(Number(process.env.PORT), "127.0.0.1");
