import assert from "node:assert/strict";
import { test } from "node:test";

import { expressionOf, isWhole, newTerm, OPERATORS, termsOf } from "../../Sources/Server/CConsoleFiles/Files/config/terms.js";

test("what the form writes is read again as it was", () => {
  const expressions = [
    "true", "device.country in ['BR', 'PT']", "device.language in ['pt', 'en-GB']", "device.os == 'ios'", "device.os in ['ios', 'android']", "app.version.>=(['1.2'])", "app.version.contains(['be && ta'])",
    "app.audiences.inAtLeastOne(['buyers'])", "percent <= 10", "percent('it\\'s \\\\ mine') between 20 and 40.5", "dateTime >= dateTime('2026-01-01T09:00:00', 'America/Sao_Paulo')", "dateTime < dateTime('2026-01-01T09:00')",
    "app.customSignal['km'] < 5", "app.userProperty['plan'].exactlyMatches(['gold', 'silver'])", "device.country in ['BR'] && percent > 50 && app.customSignal['a\\'b'].contains([']', ','])",
  ];
  for (const expression of expressions) assert.equal(expressionOf(termsOf(expression)), expression);
});

test("a text that somebody wrote in another way is understood", () => {
  assert.deepEqual(termsOf(" device.country  ==  \"BR\"&&percent<=10 ").map(({ kind, values }) => [kind, values]), [["country", ["BR"]], ["percent", ["10"]]]);
  assert.deepEqual(termsOf(""), []);
});

test("what the form cannot show is left to the text", () => {
  for (const expression of ["sticky", "percent <= 10 && sticky", "app.id == '1:1:ios:1'", "device.os == 'symbian'", "app.version.unlike(['1'])", "device.country in ['BR'", "percent <= 10 &&", "false"]) assert.equal(termsOf(expression), null, expression);
});

test("a term counts once it has all that it takes", () => {
  for (const kind of Object.keys(OPERATORS)) assert.equal(isWhole(newTerm(kind)), kind === "platform", kind);
  const percent = (operator, ...values) => isWhole({ kind: "percent", operator, name: "", values });
  assert.deepEqual([percent("<=", "10"), percent("<=", "101"), percent("<=", ""), percent("between", "1"), percent("between", "1", "2")], [true, false, false, false, true]);
  const custom = (name, operator, ...values) => isWhole({ kind: "custom", operator, name, values });
  assert.deepEqual([custom("km", "<", "5"), custom("km", "<", "five"), custom("", "<", "5"), custom("km", "contains", "five")], [true, false, false, true]);
});
