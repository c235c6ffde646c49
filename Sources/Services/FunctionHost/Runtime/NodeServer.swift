extension NodeSupport {
  /// Serves the function that `FUNCTION_TARGET` names, as `FUNCTION_SIGNATURE_TYPE` says.
  static let serving = #"""
    "use strict";
    const { AsyncLocalStorage } = require("async_hooks"), fs = require("fs"), http = require("http");
    const Module = require("module"), path = require("path"), querystring = require("querystring");
    const { pathToFileURL } = require("url"), zlib = require("zlib");
    const folder = process.cwd();
    const callKey = process.env.BRASA_CALL_KEY;
    delete process.env.BRASA_CALL_KEY;
    const target = process.env.FUNCTION_TARGET, signature = process.env.FUNCTION_SIGNATURE_TYPE;

    // Lines of a call name it.
    const calls = new AsyncLocalStorage();
    function label(stream, severity) {
      const write = stream.write.bind(stream);
      stream.write = (chunk, ...rest) => {
        const execution = calls.getStore();
        if (!execution || !(typeof chunk === "string" || Buffer.isBuffer(chunk))) return write(chunk, ...rest);
        const labels = { "logging.googleapis.com/labels": { execution_id: execution } };
        // One entry for what one statement printed, with all its lines.
        const text = chunk.toString().replace(/\n$/, "");
        let entry = { severity, message: text };
        try {
          const own = JSON.parse(text);
          if (own && typeof own.message === "string") entry = own;
        } catch {}
        const line = JSON.stringify({ ...entry, ...labels });
        return write(line + "\n", ...rest.filter((one) => typeof one === "function"));
      };
    }
    label(process.stdout, "INFO");
    label(process.stderr, "ERROR");

    async function load() {
      const manifest = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
      const file = Module.createRequire(path.join(folder, "package.json")).resolve("./" + (manifest.main || "index.js"));
      let source;
      try {
        source = require(file);
      } catch (error) {
        if (error.code !== "ERR_REQUIRE_ESM" && error.code !== "ERR_REQUIRE_ASYNC_MODULE") throw error;
        source = await import(pathToFileURL(file).href);
      }
      let found = source;
      for (const name of target.split(".")) found = found === undefined || found === null ? undefined : found[name];
      if (typeof found !== "function") throw new Error(`The source exports no function ${target}.`);
      return found;
    }

    // MARK: Requests

    function wholeBody(request) {
      return new Promise((resolve, reject) => {
        const parts = [];
        let stream = request;
        const coding = (request.headers["content-encoding"] || "").toLowerCase();
        if (coding === "gzip" || coding === "deflate") stream = request.pipe(zlib.createUnzip());
        else if (coding === "br") stream = request.pipe(zlib.createBrotliDecompress());
        stream.on("data", (part) => parts.push(part));
        stream.on("end", () => resolve(Buffer.concat(parts)));
        stream.on("error", reject);
        request.on("error", reject);
      });
    }
    class BadRequest extends Error {}
    function parsed(raw, type, parseForm) {
      if (raw.length === 0) return {};
      if (/^application\/([^;]*\+)?json\s*(;|$)/i.test(type)) {
        try {
          return JSON.parse(raw.toString());
        } catch (error) {
          throw new BadRequest(error.message);
        }
      }
      if (/^text\/plain\s*(;|$)/i.test(type)) return raw.toString();
      if (/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) return parseForm(raw.toString());
      return raw;
    }

    /// Express as the SDK of the source has it; without one, the parts of it that handlers commonly use.
    function application(handler) {
      const resolver = (file) => Module.createRequire(file);
      const places = [() => resolver(resolver(path.join(folder, "package.json")).resolve("firebase-functions"))];
      places.push(() => resolver(path.join(folder, "package.json")));
      for (const place of places) {
        try {
          const near = place(), express = near("express");
          const parseForm = resolver(near.resolve("express"))("qs").parse;
          const app = express();
          app.disable("x-powered-by");
          app.enable("trust proxy");
          app.use((request, response) => handler(request, response));
          return { app, parseForm };
        } catch (error) {
          if (error.code !== "MODULE_NOT_FOUND" && error.code !== "ERR_PACKAGE_PATH_NOT_EXPORTED") throw error;
        }
      }
      return { app: plainly(handler), parseForm: (text) => ({ ...querystring.parse(text) }) };
    }
    function plainly(handler) {
      return (request, response) => {
        const url = new URL(request.url.replace(/^\/+/, "/"), "http://localhost");
        const forwarded = request.headers["x-forwarded-for"];
        Object.assign(request, {
          originalUrl: request.url, baseUrl: "", path: url.pathname, query: { ...querystring.parse(url.search.slice(1)) },
          params: { 0: url.pathname.slice(1) }, protocol: request.headers["x-forwarded-proto"] || "http",
          ip: forwarded ? forwarded.split(",")[0].trim() : request.socket.remoteAddress, res: response,
          hostname: (request.headers.host || "").replace(/:\d+$/, ""),
        });
        request.secure = request.protocol === "https";
        request.get = request.header = (name) => request.headers[name.toLowerCase()];
        request.is = (type) => (request.headers["content-type"] || "").split(";")[0].trim().endsWith(type) && type;
        response.req = request;
        response.locals = {};
        const set = (name, value) => {
          if (typeof name === "object") for (const key of Object.keys(name)) response.setHeader(key, name[key]);
          else response.setHeader(name, value);
          return response;
        };
        response.set = response.header = set;
        response.get = (name) => response.getHeader(name);
        response.status = (code) => { response.statusCode = code; return response; };
        const types = { json: "application/json", html: "text/html", text: "text/plain" };
        response.type = (type) => {
          if (type.includes("/")) return set("Content-Type", type);
          return set("Content-Type", types[type] ? types[type] + "; charset=utf-8" : "application/octet-stream");
        };
        response.append = (name, value) => set(name, [].concat(response.getHeader(name) || [], value));
        response.vary = (name) => response.append("Vary", name);
        response.json = (value) => {
          if (!response.getHeader("Content-Type")) response.type("json");
          response.end(JSON.stringify(value));
          return response;
        };
        response.send = (body) => {
          if (typeof body === "string") {
            if (!response.getHeader("Content-Type")) response.type("html");
          } else if (Buffer.isBuffer(body)) {
            if (!response.getHeader("Content-Type")) response.type("bin");
          } else if (body !== undefined && body !== null) {
            return response.json(body);
          }
          response.end(body === null ? undefined : body);
          return response;
        };
        response.sendStatus = (code) => response.status(code).type("text").send(http.STATUS_CODES[code] || String(code));
        response.redirect = (...words) => {
          response.statusCode = words.length > 1 ? words[0] : 302;
          set("Location", words[words.length - 1]).end();
        };
        handler(request, response);
      };
    }

    // MARK: Events

    function cloudEvent(request) {
      const type = request.headers["content-type"] || "";
      if (/^application\/cloudevents\+json/i.test(type)) {
        const event = { ...request.body };
        if (event.data_base64 !== undefined) event.data = Buffer.from(event.data_base64, "base64");
        delete event.data_base64;
        return event;
      }
      const event = {};
      for (const [name, value] of Object.entries(request.headers)) {
        if (name.startsWith("ce-")) event[name.slice(3)] = value;
      }
      if (!event.id || !event.type) throw new BadRequest("The request is not a CloudEvent.");
      if (type && !event.datacontenttype) event.datacontenttype = type;
      if (request.rawBody.length > 0) event.data = request.body;
      return event;
    }
    function handling(made) {
      if (signature === "http") return (request, response) => made(request, response);
      return async (request, response) => {
        if (request.method !== "POST") return response.status(405).send("");
        if (signature === "cloudevent") {
          await made(cloudEvent(request));
        } else {
          const { data, context, ...rest } = request.body;
          await made(data, context === undefined ? rest : context);
        }
        response.status(204).send("");
      };
    }
    function failed(error, response) {
      console.error(error && error.stack ? error.stack : String(error));
      if (response.headersSent) return response.destroy();
      response.statusCode = error instanceof BadRequest ? 400 : 500;
      response.setHeader("Content-Type", "text/plain; charset=utf-8");
      response.end(error instanceof BadRequest ? error.message : "Internal Server Error");
    }

    load().then((made) => {
      const handle = handling(made);
      const { app, parseForm } = application((request, response) => {
        Promise.resolve().then(() => handle(request, response)).catch((error) => failed(error, response));
      });
      const server = http.createServer((request, response) => {
        if (callKey && request.headers["x-brasa-call-key"] !== callKey) {
          response.statusCode = 403;
          return response.end("Only the server can call this port.");
        }
        delete request.headers["x-brasa-call-key"];
        if (signature === "http" && /^\/(favicon\.ico|robots\.txt)(\?|$)/.test(request.url)) {
          response.statusCode = 404;
          return response.end();
        }
        const execution = request.headers["function-execution-id"] || Math.random().toString(36).slice(2, 14);
        calls.run(execution, async () => {
          try {
            request.rawBody = await wholeBody(request);
            request.body = parsed(request.rawBody, request.headers["content-type"] || "", parseForm);
            app(request, response);
          } catch (error) {
            failed(error instanceof BadRequest ? error : new BadRequest(error.message), response);
          }
        });
      });
      // The host keeps its connections and ends calls that take too long.
      server.keepAliveTimeout = 0;
      server.requestTimeout = 0;
      server.timeout = 0;
      server.listen(Number(process.env.PORT), process.env.HOST || "127.0.0.1");
      process.on("SIGTERM", () => {
        server.close(() => process.exit(0));
        server.closeIdleConnections();
      });
    }).catch((error) => {
      console.error(error && error.stack ? error.stack : String(error));
      process.exit(1);
    });
    """#
}
