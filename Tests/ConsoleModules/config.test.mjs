import assert from "node:assert/strict";
import { test } from "node:test";

import { experimentOf, experimentProblem, expressionOf, placesOf, reach, withExperiment, withMembers, withoutExperiment } from "../../Sources/Server/CConsoleFiles/Files/config/experiment.js";
import { bare, isAbout, mergeTemplates, parametersOf, problemOf, textOfTemplate, withCondition, withMoved, withParameter } from "../../Sources/Server/CConsoleFiles/Files/config/model.js";

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

test("a name that every object has is a name like others", () => {
  for (const name of ["__proto__", "constructor", "toString"]) {
    const made = withParameter(base, null, name, name, value("x"));
    assert.deepEqual(parametersOf(made).filter((one) => one.name === name), [{ name, group: name, parameter: value("x") }]);
    assert.deepEqual(parametersOf(withParameter(made, name, "plain", null, value("x"))).filter((one) => one.group === name), []);
    const renamed = withCondition(base, 0, { name, expression: "true" });
    assert.deepEqual(Object.entries(renamed.parameters.title.conditionalValues), [[name, { value: "b" }]]);
  }
  assert.equal({}.parameters, undefined);
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

// Experiments

const variantValue = [{ variantId: "Baseline", weight: 1, noChange: true }, { variantId: "A", weight: 3, value: "c" }];
const members = { exposurePercent: 50, variantValue, sticky: true, goal: { event: "buy", measure: "value" } };
const typed = { id: "e", parameter: "title", who: "", members };

test("an experiment comes before every condition, and its end leaves one value in its place", () => {
  const made = withExperiment(base, typed);
  assert.deepEqual(made.conditions.map(({ name, expression }) => [name, expression]), [["Experiment e", "true"], ["Brazil", "true"], ["Beta", "false"]]);
  assert.deepEqual(made.parameters.title.conditionalValues["Experiment e"].experimentValue, { experimentId: "e", ...members });
  assert.deepEqual(placesOf(made, "e").map(({ name, condition }) => [name, condition]), [["title", "Experiment e"]]);
  const ended = withoutExperiment(made, "e", "A");
  assert.deepEqual(ended.parameters.title.conditionalValues, { "Experiment e": { value: "c" }, Brazil: { value: "b" } });
  // Where nothing changes, the condition is not needed any more.
  assert.deepEqual(withoutExperiment(made, "e", "Baseline"), base);
  assert.equal(base.conditions.length, 2);
});

test("an experiment may be the default, and be on a parameter that there was not or in a group", () => {
  const split = { experimentId: "d", variantValue: [{ variantId: "a", value: "1" }, { variantId: "b", noChange: true }] };
  const ofDefault = withParameter(base, "price", "price", null, { defaultValue: { experimentValue: split } });
  assert.deepEqual(withoutExperiment(ofDefault, "d", "a").parameters.price, { defaultValue: { value: "1" } });
  assert.deepEqual(withoutExperiment(ofDefault, "d", "b").parameters.price, { defaultValue: { useInAppDefault: true } });
  const isNew = withExperiment(base, { ...typed, parameter: "fresh" });
  assert.deepEqual(isNew.parameters.fresh.defaultValue, { useInAppDefault: true });
  const inGroup = withExperiment(base, { ...typed, parameter: "open" });
  assert.deepEqual(Object.keys(inGroup.parameterGroups.shop.parameters.open.conditionalValues), ["Experiment e"]);
});

test("an experiment that runs gets other members wherever it decides", () => {
  const made = withExperiment(base, typed);
  const both = withParameter(made, "price", "price", null, { defaultValue: { experimentValue: { experimentId: "e", ...members } } });
  const changed = withMembers(both, "e", { exposurePercent: 0, description: "Which?", goal: undefined });
  for (const { experiment } of placesOf(changed, "e")) assert.deepEqual(experiment, { experimentId: "e", ...members, exposurePercent: 0, description: "Which?", goal: undefined });
  assert.equal(placesOf(changed, "e").length, 2);
  assert.deepEqual(placesOf(both, "e").map(({ experiment }) => experiment.exposurePercent), [50, 50]);
  assert.deepEqual(withMembers(base, "none", { exposurePercent: 0 }), base);
  assert.deepEqual(experimentOf(made, "e"), { experimentId: "e", ...members, parameter: "title", expression: "true" });
  assert.equal(experimentOf(withExperiment(base, { ...typed, who: "condition:Beta" }), "e").expression, "false");
});

test("an experiment is for everybody, an audience or whom a condition is true of", () => {
  assert.equal(expressionOf(base, ""), "true");
  assert.equal(expressionOf(base, "audience:buyers: all"), "app.audiences.inAtLeastOne(['buyers: all'])");
  assert.equal(expressionOf(base, "condition:Beta"), "false");
  assert.equal(expressionOf(base, "expression:app.id == 'a:b'"), "app.id == 'a:b'");
});

test("what is wrong with an experiment is said", () => {
  assert.equal(experimentProblem(base, typed), null);
  assert.equal(experimentProblem(base, { ...typed, id: "" }), "config.nameTaken");
  assert.equal(experimentProblem(withExperiment(base, typed), typed), "config.nameTaken");
  assert.equal(experimentProblem(base, { ...typed, parameter: "1st" }), "config.badName");
  assert.equal(experimentProblem(base, { ...typed, members: { variantValue: [variantValue[0], variantValue[0]] } }), "experiment.badVariants");
});

test("intervals are drawn to one scale", () => {
  assert.equal(reach([{}, { difference: { low: -0.5, high: 0.2 } }, { difference: { low: 0, high: 0.3 } }]), 0.5);
  assert.equal(reach([{}]), 0);
});

test("a parameter is found by its name, group, description, conditions and values", () => {
  const one = { name: "Greeting", group: "Home", parameter: { description: "First line", defaultValue: { value: "Olá" }, conditionalValues: { Brazil: { value: "Oi" }, Own: { useInAppDefault: true } } } };
  for (const text of ["", "greet", "home", "first", "olá", "brazil", "oi"]) assert.ok(isAbout(one, text), text);
  assert.ok(!isAbout(one, "hello"));
  assert.ok(!isAbout({ name: "x", group: null, parameter: {} }, "null"));
});
