import BaseJSON
import Testing

@testable import ConfigTemplates

/// Which templates are taken, and what is said of the others.
@Suite struct TemplateTests {
  @Test func `a template comes out as it went in`() throws {
    let json = """
      {"conditions":[{"name":"a","expression":"percent <= 10","tagColor":"BLUE"}],\
      "parameters":{"z":{"defaultValue":{"useInAppDefault":true}},\
      "k":{"defaultValue":{"value":"x"},"conditionalValues":{"a":{"value":""}},"description":"d",\
      "valueType":"STRING"}},\
      "parameterGroups":{"g":{"description":"all","parameters":{"n":{"defaultValue":{"value":"1"},\
      "valueType":"NUMBER"}}}}}
      """
    #expect(try template(json).json.compact == json)
    #expect(try template("{}").json.compact == "{}")
  }

  @Test(arguments: [
    (
      #"{"parameters":{"k":{"conditionalValues":{"no":{"value":"1"}}}}}"#,
      "UNKNOWN_CONDITION_REFERENCE"
    ),
    (
      #"{"conditions":[{"name":"a","expression":"true"},{"name":"a","expression":"true"}]}"#,
      "DUPLICATE_KEY"
    ),
    (#"{"parameters":{"k":{},"k":{}}}"#, "DUPLICATE_KEY"),
    (#"{"parameters":{"k":{}},"parameterGroups":{"g":{"parameters":{"k":{}}}}}"#, "DUPLICATE_KEY"),
    (#"{"parameters":{"k":{}},"parameterGroups":{"k":{"parameters":{}}}}"#, "DUPLICATE_KEY"),
    (#"{"parameters":{"1k":{}}}"#, "INVALID_NAME"), (#"{"parameters":{"":{}}}"#, "INVALID_NAME"),
    (#"{"parameters":{"a-b":{}}}"#, "INVALID_NAME"),
    (
      #"{"parameters":{"k":{"valueType":"BOOLEAN","defaultValue":{"value":"yes"}}}}"#,
      "INVALID_VALUE"
    ),
    (
      #"{"parameters":{"k":{"valueType":"NUMBER","defaultValue":{"value":"1a"}}}}"#, "INVALID_VALUE"
    ),
    (#"{"parameters":{"k":{"valueType":"JSON","defaultValue":{"value":"{"}}}}"#, "INVALID_VALUE"),
    (#"{"parameters":{"k":{"valueType":"WORD"}}}"#, "'parameters.k.valueType'"),
    (#"{"parameters":{"k":{"defaultValue":{"value":"a","useInAppDefault":true}}}}"#, "exactly one"),
    (#"{"parameters":{"k":{"defaultValue":{}}}}"#, "exactly one"),
    (#"{"parameters":{"k":{"defaultValue":{"value":5}}}}"#, "a string is expected"),
    (
      #"{"parameters":{"k":{"defaultValue":{"personalizationValue":"p"}}}}"#,
      "an object is expected"
    ),
    (
      #"{"parameters":{"k":{"defaultValue":{"personalizationValue":{},"value":"a"}}}}"#,
      "exactly one"
    ),
    (
      #"{"conditions":[{"name":"a","expression":"device.os == "}]}"#,
      "The condition \"a\", column 14:"
    ),
    (#"{"conditions":[{"name":"a","expression":"true","tagColor":"RED"}]}"#, "is no color"),
    (#"{"conditions":[{"name":"","expression":"true"}]}"#, "a condition has a name"),
    (#"{"conditions":{}}"#, "a list is expected"), (#"{"color":1}"#, "Unknown name \"color\""),
    (#"[]"#, "an object is expected"),
  ])
  func `what is wrong is named`(_ json: String, _ text: String) {
    let message = problem(of: json)
    #expect(message?.contains(text) == true, "\(message ?? "taken")")
  }

  @Test func `bounds are kept to the one`() {
    let fits = String(repeating: "x", count: TemplateLimits.valueCharacters)
    #expect(problem(of: #"{"parameters":{"k":{"defaultValue":{"value":"\#(fits)"}}}}"#) == nil)
    let long = problem(of: #"{"parameters":{"k":{"defaultValue":{"value":"\#(fits)x"}}}}"#)
    #expect(long?.contains("LIMIT_EXCEEDED") == true)
    let keys = (0..<3_000).map { #""k\#($0)":{}"# }.joined(separator: ",")
    #expect(problem(of: "{\"parameters\":{\(keys)}}") == nil)
    #expect(problem(of: "{\"parameters\":{\(keys),\"k\":{}}}")?.contains("3000 parameters") == true)
    #expect(problem(of: #"{"parameters":{"\#(String(repeating: "k", count: 257))":{}}}"#) != nil)
  }

  @Test func `templates of servers have conditions that Admin SDKs know`() throws {
    let json = #"{"conditions":[{"name":"a","expression":"device.os == 'ios'"}]}"#
    #expect(problem(of: json, .server)?.contains("Server templates") == true)
    let condition = try CompiledCondition(
      "percent('s') between 0 and 5.5 && app.customSignal['n'] >= 2 && true"
    )
    #expect(
      condition.serverTree.compact
        == #"{"orCondition":{"conditions":[{"andCondition":{"conditions":["#
        + #"{"percent":{"percentOperator":"BETWEEN","microPercentRange":{"microPercentLowerBound":0,"#
        + #""microPercentUpperBound":5500000},"seed":"s"}},"#
        + #"{"customSignal":{"customSignalOperator":"NUMERIC_GREATER_EQUAL","customSignalKey":"n","#
        + #""targetCustomSignalValues":["2.0"]}},{"true":{}}]}}]}}"#
    )
  }

  @Test func `the order of conditions decides, not that of a parameter's values`() throws {
    let json = """
      {"conditions":[{"name":"one","expression":"device.country in ['BR']"},
                     {"name":"two","expression":"true"}],
       "parameters":{"k":{"defaultValue":{"value":"d"},
                     "conditionalValues":{"two":{"value":"2"},"one":{"value":"1"}}},
                     "n":{"conditionalValues":{"one":{"useInAppDefault":true}}}}}
      """
    let compiled = try CompiledTemplate(try template(json), for: .client)
    let brazil = compiled.decide(client(country: "BR"), audiences: nil, at: 0)
    #expect(
      compiled.outcomes(of: brazil) == [
        .init(key: "k", value: "1", condition: "one"),
        .init(key: "n", value: nil, condition: "one"),
      ]
    )
    let other = compiled.decide(client(), audiences: nil, at: 0)
    #expect(compiled.outcomes(of: other).map(\.value) == ["2", nil])
  }

  @Test func `what a model of Google's would choose is kept, and the app takes its own`() throws {
    let json = """
      {"conditions":[{"name":"all","expression":"true"}],\
      "parameters":{"k":{"defaultValue":{"value":"d"},"conditionalValues":{"all":{\
      "personalizationValue":{"personalizationId":"p1","later":[1,{"a":null}]}}}},\
      "n":{"defaultValue":{"personalizationValue":{}},"valueType":"NUMBER"}}}
      """
    let parsed = try template(json)
    #expect(parsed.json.compact == json)
    let compiled = try CompiledTemplate(parsed, for: .client)
    let decision = compiled.decide(client(), audiences: nil, at: 0)
    #expect(
      compiled.outcomes(of: decision) == [
        .init(key: "k", value: nil, condition: "all"), .init(key: "n", value: nil, condition: nil),
      ]
    )
  }

  @Test func `an experiment splits evenly whatever part takes part`() throws {
    let json = """
      {"conditions":[{"name":"all","expression":"true"}],
       "parameters":{"k":{"defaultValue":{"value":"d"},"conditionalValues":{"all":{"experimentValue":{
         "experimentId":"e","exposurePercent":20,"displayName":"Words","description":"Which word sells?","variantValue":[
           {"variantId":"control","noChange":true,"weight":1},{"variantId":"new","value":"n","weight":3}]}}}}}}
      """
    let parsed = try template(json)
    #expect(try template(parsed.json.compact) == parsed)
    let compiled = try CompiledTemplate(parsed, for: .client)
    var parts = [0, 0, 0]
    for id in 0..<10_000 {
      let decision = compiled.decide(client(id: "i\(id)"), audiences: nil, at: 0)
      let part = Int(decision.bytes[1])
      parts[part] += 1
      #expect(compiled.outcomes(of: decision)[0].value == (part == 2 ? "n" : "d"))
    }
    #expect(abs(parts[1] + parts[2] - 2_000) < 150)
    #expect(abs(Double(parts[2]) / Double(parts[1] + parts[2]) - 0.75) < 0.04)
    let nobody = compiled.decide(client(), audiences: nil, at: 0)
    #expect(nobody.bytes == [1, 0])
  }

  /// Values of every kind, of which each client gets others.
  @Test func `what clients are sent is what was decided of them`() throws {
    let json = """
      {"conditions":[{"name":"one","expression":"device.country in ['BR']"},
                     {"name":"two","expression":"percent('s') <= 50"}],
       "parameters":{"a":{"defaultValue":{"value":"d\\n\\u0001\\\\ é"}},
         "b":{"conditionalValues":{"two":{"value":"2"},"one":{"useInAppDefault":true}}},
         "c":{"defaultValue":{"value":"d"},"conditionalValues":{
           "one":{"rolloutValue":{"rolloutId":"r","value":"R","percent":50}},
           "two":{"experimentValue":{"experimentId":"e","exposurePercent":60,"variantValue":[
             {"variantId":"control","noChange":true,"weight":1},
             {"variantId":"new","value":"n","weight":3}]}}}},
         "d":{"defaultValue":{"useInAppDefault":true}}}}
      """
    let compiled = try CompiledTemplate(try template(json), for: .client)
    for id in 0..<300 {
      let client = client(country: id % 2 == 0 ? "BR" : nil, id: "i\(id)")
      let decision = compiled.decide(client, audiences: nil, at: 0)
      let expected = compiled.outcomes(of: decision).compactMap { outcome in
        outcome.value.map { JSONValue.Member(outcome.key, .string($0)) }
      }
      let sent = String(decoding: compiled.members(of: decision), as: UTF8.self)
      #expect(try JSONValue(parsing: "{\(sent)}") == .object(expected))
    }
    let silent = try CompiledTemplate(
      try template(#"{"parameters":{"d":{"defaultValue":{"useInAppDefault":true}}}}"#),
      for: .client
    )
    let decision = silent.decide(ConfigClient(), audiences: nil, at: 0)
    #expect(silent.members(of: decision).isEmpty)
  }
}
