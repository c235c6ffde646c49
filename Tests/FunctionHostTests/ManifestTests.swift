import BaseJSON
import BaseStatus
import Testing

@testable import FunctionHost

/// Manifests as Google's SDKs write them, and as nobody should.
@Suite struct ManifestTests {
  private static func read(
    _ endpoints: String,
    params: String = "[]",
    values: [String: String] = [:]
  ) throws -> FunctionManifest {
    let text = "{\"specVersion\":\"v1alpha1\",\"endpoints\":\(endpoints),\"params\":\(params)}"
    return try ManifestReader.read(JSONValue(parsing: text), values: values)
  }

  @Test(arguments: [
    ("{}", false), (#"{"invoker":["public"]}"#, false), (#"{"invoker":null}"#, false),
    (#"{"invoker":["private"]}"#, true), (#"{"invoker":["ana@example.com"]}"#, true),
    (#"{"invoker":["private","public"]}"#, false),
  ])
  func `an HTTP function is for those whom its source names`(
    trigger: String,
    isPrivate: Bool
  ) throws {
    let manifest = try Self.read("{\"f\":{\"httpsTrigger\":\(trigger)}}")
    #expect(manifest.endpoints.map(\.isPrivate) == [isPrivate])
  }

  @Test func `an endpoint of the Python SDK has Google's defaults`() throws {
    let endpoint = try #require(
      try Self.read(
        """
        {"greet": {"availableMemoryMb": null, "callableTrigger": {}, "concurrency": null,
        "entryPoint": "greet", "labels": {"deployment-callable": "true"}, "maxInstances": null,
        "platform": "gcfv2", "secretEnvironmentVariables": [{"key": "API_KEY"}], "region": ["europe-west1"]}}
        """
      ).endpoints.first
    )
    #expect(endpoint.trigger == .callable)
    #expect(endpoint.regions == ["europe-west1"])
    #expect(endpoint.memoryMegabytes == 256)
    #expect(endpoint.timeoutSeconds == 60)
    #expect(endpoint.concurrency == 80)
    #expect(endpoint.secrets == ["API_KEY": "API_KEY"])
    #expect(endpoint.signature == .http)
  }

  @Test func `a trigger of events keeps its filters`() throws {
    let endpoint = try #require(
      try Self.read(
        """
        {"seen": {"entryPoint": "seen", "platform": "gcfv2", "eventTrigger": {
        "eventType": "google.cloud.firestore.document.v1.written", "retry": true,
        "eventFilters": {"database": "(default)"}, "eventFilterPathPatterns": {"document": "products/{id}"}}}}
        """
      ).endpoints.first
    )
    guard case .event(let trigger) = endpoint.trigger else {
      Issue.record("no trigger of events")
      return
    }
    #expect(trigger.filters == ["database": "(default)"])
    #expect(trigger.pathPatterns == ["document": "products/{id}"])
    #expect(trigger.retries)
    #expect(endpoint.signature == .cloudEvent)
  }

  @Test func `parameters are put in, and one without a value is named`() throws {
    let endpoints = #"{"f": {"httpsTrigger": {}, "minInstances": "{{ params.LEAST }}"}}"#
    let params = #"[{"name": "LEAST", "type": "int"}]"#
    let manifest = try Self.read(endpoints, params: params, values: ["LEAST": "2"])
    #expect(manifest.endpoints.first?.minInstances == 2)
    let error = #expect(throws: ServiceError.self) { try Self.read(endpoints, params: params) }
    #expect(error?.message.contains("has no value") == true)
  }

  @Test(arguments: [
    #"{"../up": {"httpsTrigger": {}}}"#,
    #"{"": {"httpsTrigger": {}}}"#,
    #"{"a/b": {"httpsTrigger": {}}}"#,
    #"{"two": {"httpsTrigger": {}, "callableTrigger": {}}}"#,
    #"{"none": {}}"#,
    #"{"f": {"httpsTrigger": {}, "entryPoint": "../../etc/passwd"}}"#,
    #"{"f": {"httpsTrigger": {}, "region": ["../x-1"]}}"#,
    #"{"f": {"httpsTrigger": {}, "availableMemoryMb": 99999999}}"#,
    #"{"f": {"httpsTrigger": {}, "timeoutSeconds": 0}}"#,
    #"{"f": {"httpsTrigger": {}, "secretEnvironmentVariables": [{"key": "A=B"}]}}"#,
    #"{"f": {"httpsTrigger": {}}, "f": {"httpsTrigger": {}}}"#,
  ])
  func `a manifest that lies is refused`(_ endpoints: String) {
    #expect(throws: ServiceError.self) { try Self.read(endpoints) }
  }

  @Test func `names of 300 characters are refused`() {
    let name = String(repeating: "n", count: 300)
    #expect(throws: ServiceError.self) { try Self.read("{\"\(name)\": {\"httpsTrigger\": {}}}") }
    #expect(ManifestReader.isName(String(name.prefix(63))))
    #expect(!ManifestReader.isName(String(name.prefix(64))))
  }
}

/// The files of variables.
@Suite struct EnvironmentFileTests {
  @Test func `a file is read as Google's tools read it`() throws {
    let text = """
      # a comment
      PLAIN=value # behind
      export SPACED = two words
      DOUBLE="a\\nb \\"c\\""
      SINGLE='a\\nb'
      LONG="first
      second"
      EMPTY=
      """
    #expect(
      try EnvironmentFile.parse(text, named: ".env") == [
        "PLAIN": "value", "SPACED": "two words", "DOUBLE": "a\nb \"c\"", "SINGLE": "a\\nb",
        "LONG": "first\nsecond", "EMPTY": "",
      ]
    )
  }

  @Test(arguments: [
    "no equals", "1A=b", "A B=c", "A=\"open", "PORT=1", "FIREBASE_CONFIG={}", "K_SERVICE=x",
  ])
  func `a wrong line is refused`(_ line: String) {
    #expect(throws: ServiceError.self) { try EnvironmentFile.parse(line, named: ".env") }
  }
}
