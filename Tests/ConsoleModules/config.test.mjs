import assert from "node:assert/strict";
import { test } from "node:test";

import { bare, mergeTemplates, parametersOf, problemOf, textOfTemplate, withCondition, withMoved, withParameter } from "../../Sources/Server/CConsoleFiles/Files/config/model.js";

const value = (text) => ({ defaultValue: { value: text } });
const base = bare({
  conditions: [{ name: "Brazil", expression: "true" }, { name: "Beta", expression: "false" }],
  parameters: { title: { ...value("a"), conditionalValues: { Brazil: { value: "b" } } }, price: value("1") },
  parameterGroups: { shop: { description: "kept", parameters: { open: value("true") } } },
  version: { versionNumber: "3" },
});

test("the version is the server's and no part of a template", () => assert.equal("version" in base, false));

test("parameters are listed by name, those of groups too", () => {
  assert.deepEqual(parametersOf(base).map(({ name, group }) => [name, group]), [["open", "shop"], ["price", null], ["title", null]]);
});

test("a parameter moves between groups and names, and the template it came from stays as it was", () => {
  const moved = withParameter(base, "price", "cost", "shop", value("2"));
  assert.deepEqual(Object.keys(moved.parameterGroups.shop.parameters), ["open", "cost"]);
  assert.equal(moved.parameterGroups.shop.description, "kept");
  assert.equal("price" in moved.parameters, false);
  assert.equal(base.parameters.price.defaultValue.value, "1");
});

test("another name of a condition is another name in every value", () => {
  const renamed = withCondition(base, 0, { name: "BR", expression: "true" });
  assert.deepEqual(renamed.parameters.title.conditionalValues, { BR: { value: "b" } });
  assert.deepEqual(withCondition(base, 0, null).parameters.title.conditionalValues, {});
  assert.equal(withCondition(base, 2, { name: "Third", expression: "true" }).conditions.length, 3);
});

test("conditions change places within the list", () => {
  assert.deepEqual(withMoved(base, 1, -1).conditions.map(({ name }) => name), ["Beta", "Brazil"]);
  assert.deepEqual(withMoved(base, 0, -1), base);
});

test("what different people changed comes together", () => {
  const mine = withParameter(base, "price", "price", null, value("2"));
  const theirs = withMoved(withParameter(base, null, "new", null, value("x")), 0, 1);
  const { template, conflicts } = mergeTemplates(base, mine, theirs);
  assert.deepEqual(conflicts, []);
  assert.equal(template.parameters.price.defaultValue.value, "2");
  assert.equal(template.parameters.new.defaultValue.value, "x");
  assert.deepEqual(template.conditions.map(({ name }) => name), ["Beta", "Brazil"]);
});

test("what both changed is named and mine is shown", () => {
  const mine = withParameter(base, "price", "price", null, value("2"));
  const { template, conflicts } = mergeTemplates(base, mine, withParameter(base, "price", "price", null, null));
  assert.deepEqual(conflicts, ["price"]);
  assert.equal(template.parameters.price.defaultValue.value, "2");
  assert.deepEqual(mergeTemplates(base, mine, mine).conflicts, []);
});

test("what one deleted and nobody changed is gone", () => {
  const { template } = mergeTemplates(base, withParameter(base, "open", "open", "shop", null), base);
  assert.deepEqual(template.parameterGroups.shop.parameters, {});
});

test("the order of members is no difference", () => {
  const other = JSON.parse(JSON.stringify({ parameterGroups: base.parameterGroups, parameters: { price: base.parameters.price, title: base.parameters.title }, conditions: base.conditions }));
  assert.equal(textOfTemplate(other), textOfTemplate(base));
});

test("values fit their types", () => {
  assert.equal(problemOf("yes", "BOOLEAN"), "config.notBoolean");
  assert.equal(problemOf(" ", "NUMBER"), "config.notNumber");
  assert.equal(problemOf("{", "JSON"), "config.notJSON");
  for (const [text, type] of [["true", "BOOLEAN"], ["-1e3", "NUMBER"], ["[1]", "JSON"], ["{", "STRING"]]) assert.equal(problemOf(text, type), null);
});
