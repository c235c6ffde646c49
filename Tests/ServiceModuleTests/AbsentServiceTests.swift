import HTTPTypes
import ServiceModule
import Testing

@Suite struct AbsentServiceTests {
  private func name(_ path: String, _ headers: HTTPFields = [:]) -> String? {
    AbsentService(
      HTTPRequest(method: .get, scheme: nil, authority: nil, path: path, headerFields: headers)
    )?.name
  }

  @Test(arguments: [
    ("/demo/us-central1/hello", "Cloud Functions"),
    ("/demo/southamerica-east1/hello/more?x=1", "Cloud Functions"),
    ("/v2/projects/p/locations/us-central1/functions", "Cloud Functions"),
    ("/v1/projects/p/locations/-/functions/f:call", "Cloud Functions"),
    ("/.json", "Realtime Database"),
    ("/users/1.json?ns=demo", "Realtime Database"),
    ("/users/%31.json?print=silent&ns=demo", "Realtime Database"),
    ("/.ws?v=5&ns=demo", "Realtime Database"),
    ("/v1beta/projects/p/locations/-/instances", "Realtime Database"),
    ("/v1beta/models/gemini:generateContent", "Firebase AI Logic"),
    ("/v1/projects/p/apps/a:exchangeDebugToken", "App Check"),
    ("/v1p9/projects/p/topics", nil),
    ("/v1/projects/p/topics/t:publish", "Pub/Sub"),
    ("/compute/v1/projects/p/zones", "Compute Engine"),
    ("/compute/v2/a", nil), ("/users/1.json", nil), ("/users/1.json?nsx=demo", nil),
    ("/demo/us-central1", nil), ("/demo/us-central/hello", nil), ("/demo/us-central123/a", nil),
    ("/demo/-central1/a", nil), ("/demo/us-1/a", nil), ("/demo/US-central1/a", nil),
    ("/", nil), ("", nil), ("*", nil), ("/bucket/object", nil), ("/v1//x/models/y", nil),
    ("/v1/projects//topics", nil), ("/%zz/us-central1/a", "Cloud Functions"),
  ])
  func `a service is known by its clients' paths`(_ path: String, _ expected: String?) {
    #expect(name(path) == expected)
  }

  @Test func `the clients of the Realtime Database are known by their headers`() {
    #expect(name("/users/1.json", [.userAgent: "Firebase/HTTP/6.5/3.12/AdminPython"]) != nil)
    var headers = HTTPFields()
    if let name = HTTPField.Name("X-Firebase-Decoding") { headers[name] = "1" }
    #expect(name("/users/1.json", headers) == "Realtime Database")
    #expect(name("/users/1", headers) == nil)
  }

  @Test func `a path that is no client's is not read`() {
    #expect(name("/demo/us-central1/" + String(repeating: "a", count: 100_000)) == nil)
  }
}
