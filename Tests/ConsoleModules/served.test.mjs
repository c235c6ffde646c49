import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { test } from "node:test";
import vm from "node:vm";

// Compares what a server serves, in the folder CONSOLE_SERVED, with the sources, and measures it.
const SOURCES = new URL("../../Sources/Server/CConsoleFiles/Files/", import.meta.url);
const SERVED = pathToFileURL(`${process.env.CONSOLE_SERVED ?? ""}/`);
const check = (name, act) => test(name, { skip: process.env.CONSOLE_SERVED ? false : "needs what a server serves" }, act);

const scripts = readdirSync(SOURCES, { recursive: true }).filter((path) => path.endsWith(".js"));
const modules = scripts.filter((path) => !path.startsWith("i18n"));
const servedOf = (path) => readFileSync(new URL(path, SERVED), "utf8");
const sourceOf = (path) => readFileSync(new URL(path, SOURCES), "utf8");

// The tokens of the language, but for texts in backticks and regular expressions.
const SPACE = /(?:[ \t\r]|\/\/[^\n]*)+/y;
const COMMENT = /\/\*[^]*?\*\//y;
const QUOTED = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/y;
const NAME = /[#\w$\u0080-\uffff]+/y;
const OPERATOR = />>>=|\.\.\.|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|=>|==|!=|<=|>=|&&|\|\||\?\?|\?\.(?!\d)|\+\+|--|\+=|-=|\*=|\/=|%=|&=|\|=|\^=|<<|>>|\*\*|[^\s]/y;
const EXPRESSION = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\//y;
const WORDS = new Set(["return", "typeof", "case", "in", "of", "delete", "void", "instanceof", "new", "throw", "do", "else", "yield", "await"]);

/** The tokens of a script, each with its line. */
function tokensOf(source) {
  const tokens = [];
  const braces = [];
  let [at, line] = [0, 1];
  const matches = (pattern) => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  };
  const pass = (text) => {
    at += text.length;
    line += text.split("\n").length - 1;
  };
  const take = (text) => {
    tokens.push(`${line} ${text}`);
    pass(text);
  };
  const takeText = (start) => {
    let end = start;
    while (source[end] !== "`" && !(source[end] === "$" && source[end + 1] === "{")) end += source[end] === "\\" ? 2 : 1;
    if (source[end] === "$") braces.push(0);
    take(source.slice(at, source[end] === "$" ? end + 2 : end + 1));
  };
  const mayDivide = () => {
    const last = (tokens.at(-1) ?? "").split(" ").slice(1).join(" ");
    return /^["'`}]?.*[\w$"'`)\]]$/.test(last) && !WORDS.has(last) && !last.endsWith("${");
  };
  while (at < source.length) {
    const skipped = source[at] === "\n" ? "\n" : matches(SPACE) ?? matches(COMMENT);
    if (skipped) pass(skipped);
    else if (source[at] === "`") takeText(at + 1);
    else if (source[at] === "}" && braces.at(-1) === 0) {
      braces.pop();
      takeText(at + 1);
    } else {
      const text = matches(QUOTED) ?? matches(NAME) ?? (mayDivide() ? undefined : matches(EXPRESSION)) ?? matches(OPERATOR);
      if (braces.length > 0 && text === "{") braces[braces.length - 1] += 1;
      if (braces.length > 0 && text === "}") braces[braces.length - 1] -= 1;
      take(text);
    }
  }
  return tokens;
}

/** The tokens without the semicolons and commas that the language does without. */
function needed(tokens) {
  const parts = tokens.map((token) => [token.slice(0, token.indexOf(" ")), token.slice(token.indexOf(" ") + 1)]);
  return tokens.filter((_, at) => {
    const [[line, text], [nextLine, next], [, before]] = [parts[at], parts[at + 1] ?? ["", "}"], parts[at - 1] ?? ["", ""]];
    if (text === ";") return !(next === "}" || (nextLine !== line && /^[a-zA-Z_$#\u0080-\uffff]/.test(next)));
    return text !== "," || ![")", "]", "}"].includes(next) || [",", "[", "("].includes(before);
  });
}

test("no semicolon is a statement of its own, which what is served would miss", () => {
  for (const path of scripts) {
    const tokens = tokensOf(sourceOf(path)).map((token) => token.slice(token.indexOf(" ") + 1));
    tokens.forEach((token, at) => {
      if (token !== ";") return;
      assert.ok(!["{", "else", "do"].includes(tokens[at - 1]), `${path}: ${tokens.slice(at - 5, at + 1).join(" ")}`);
      if (tokens[at - 1] !== ")") return;
      let [open, depth] = [at, 0];
      do {
        open -= 1;
        depth += tokens[open] === ")" ? 1 : tokens[open] === "(" ? -1 : 0;
      } while (depth > 0);
      const isLoop = ["for", "while", "if"].includes(tokens[open - 1]) && tokens[open - 2] !== "}" && tokens[open - 2] !== ";";
      assert.ok(!isLoop, `${path}: ${tokens.slice(open - 2, at + 1).join(" ")}`);
    });
  }
});

check("what is served has the tokens of its source, on the same lines, and is a module", () => {
  for (const path of scripts) {
    const served = servedOf(path);
    assert.deepEqual(tokensOf(served), needed(tokensOf(sourceOf(path))), path);
    assert.ok(new vm.SourceTextModule(served, { identifier: path }));
  }
});

check("nothing is served that browsers need not load", () => {
  const all = scripts.map(servedOf).join("\n");
  assert.doesNotMatch(all, /^ |^\/\/|^\/\*/m);
  assert.ok(all.length < scripts.map(sourceOf).join("\n").length * 0.85);
});

/** A module with all that it imports before it runs. */
function closure(path, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  for (const [, other] of sourceOf(path).matchAll(/^(?:import|export) [^;]*?from "([^"]+)"/gm)) closure(new URL(other, new URL(path, SOURCES)).href.slice(SOURCES.href.length), found);
  return found;
}

const sizeOf = (paths) => [...paths].reduce((sum, path) => sum + Buffer.byteLength(servedOf(path)), 0);

/** A page's modules; the overview draws its figures with one that it loads at once. */
const whole = (name) => new Set([...closure(`${name}/page.js`), ...(name === "overview" ? closure("overview/cockpit.js") : [])]);

check("the first page is few files", () => {
  const modules = new Set([...closure("app.js"), ...whole("overview")]);
  // Beside them the page, its styles and its icon, and two catalogues of texts.
  assert.ok(modules.size + 5 <= 34, `${modules.size + 5} files`);
});

check("what a page loads is within its budget, in the longer language", () => {
  const pages = readdirSync(new URL("i18n/en/", SOURCES)).map((file) => file.slice(0, -3)).filter((name) => name !== "common");
  for (const name of pages) {
    const texts = Math.max(...["en", "pt-BR"].map((tag) => sizeOf(["common", name].map((one) => `i18n/${tag}/${one}.js`))));
    const bytes = sizeOf(new Set([...closure("app.js"), ...closure(`${name}/page.js`)])) + texts;
    const most = { overview: 66 }[name] ?? 130;
    assert.ok(bytes <= most << 10, `${name}: ${bytes} bytes`);
    // What the page alone needs, beside what every page has.
    const own = sizeOf([...whole(name)].filter((path) => !closure("app.js").has(path)));
    assert.ok(own <= 60 << 10, `${name}: ${own} bytes of its own`);
  }
});

check("all modules together are within their budget, and a language's texts are within theirs", () => {
  assert.ok(sizeOf(modules) <= 490 << 10, `${sizeOf(modules)} bytes`);
  for (const tag of ["en", "pt-BR"]) {
    const bytes = sizeOf(scripts.filter((path) => path.startsWith(`i18n/${tag}/`)));
    assert.ok(bytes <= 80 << 10, `${tag}: ${bytes} bytes`);
  }
});
