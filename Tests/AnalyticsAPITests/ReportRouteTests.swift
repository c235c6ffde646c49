import BaseJSON
import Gzip
import ServiceTestSupport
import Testing

/// Reports, audiences, settings, the deletion of events and the export.
@Suite struct ReportRouteTests {
  private static let reports = AnalyticsServer.reports
  private static let today = "from=2027-01-15&to=2027-01-15"

  /// The reports on one event of today.
  static let answers: [(request: String, body: String, path: [String], value: String)] = [
    ("GET live", "", ["users"], "1"),
    ("GET events", "", ["events", "now", "events"], "1"),
    ("GET events", "", ["events", "name"], #""view_item""#),
    ("GET events", "", ["events", "isKeyEvent"], "false"),
    ("GET events/view_item", "", ["parameters", "name"], #""item""#),
    ("GET breakdown?by=country", "", ["rows", "name"], #""BR""#),
    ("GET breakdown?by=country&event=view_item", "", ["rows", "now", "users"], "1"),
    ("GET users?\(today)", "", ["days", "day"], #""2027-01-15""#),
    ("GET retention?\(today)", "", ["cohorts", "day"], #""2027-01-15""#),
    ("POST funnel", #"{"steps":["view_item"]}"#, ["steps", "users"], "1"),
    ("POST funnel", #"{"steps":["purchase"],"windowSeconds":60}"#, ["steps", "users"], "0"),
    ("GET timeline?user=ana", "", ["events", "event"], #""view_item""#),
    ("GET timeline?user=ana", "", ["events", "params"], #"{"item":"42"}"#),
    ("GET days", "", ["days"], #"["2027-01-15"]"#),
    ("GET dropped", "", ["dropped"], "[]"),
    ("GET debug", "", ["devices"], "[]"),
  ]

  @Test(arguments: answers)
  func `a report shows the event of its project alone`(
    request: String,
    body: String,
    path: [String],
    value: String
  ) async throws {
    try await AnalyticsServer.run { analytics in
      try await analytics.send()
      let words = request.split(separator: " ")
      let response = try await analytics.routes.call(
        "\(words[0]) \(Self.reports)/\(words[1])",
        as: .administrator(.viewer, of: "p"),
        body: body
      )
      #expect(response.outcome == "200")
      let found = path.reduce(response.json as JSONValue?) { json, name in
        (json?.elements?.first ?? json)?[name]
      }
      #expect(found?.compact == value, "\(response.text)")
      let other = try await analytics.routes.call(
        "\(words[0]) /v1/projects/q/analytics/\(words[1])",
        body: body
      )
      #expect(other.outcome == "200")
      #expect(!other.text.contains("item\":\"42"))
    }
  }

  @Test func `a device in debug mode is shown with its events`() async throws {
    try await AnalyticsServer.run { analytics in
      try await analytics.send(AnalyticsServer.batch(more: #","debug":true"#))
      let shown = try await analytics.routes.call(
        "GET \(Self.reports)/debug?device=\(AnalyticsServer.instance)"
      )
      let device = try #require(shown["devices"]?.elements?.first)
      #expect(device["appInstanceId"]?.string == AnalyticsServer.instance)
      #expect(device["entries"]?.elements?.first?["event"]?.string == "view_item")
      let others = try await analytics.routes.call("GET \(Self.reports)/debug?device=other")
      #expect(others.text == #"{"devices":[]}"#)
    }
  }

  @Test func `a report is a table where it is asked for`() async throws {
    try await AnalyticsServer.run { analytics in
      try await analytics.send(AnalyticsServer.batch())
      let ways: [(query: String, headers: [String: String])] = [
        ("&format=csv", [:]), ("", ["accept": "text/csv;q=1"]),
      ]
      for (query, headers) in ways {
        let response = try await analytics.routes.call(
          "GET \(Self.reports)/users?\(Self.today)\(query)",
          headers: headers
        )
        #expect(response.header("content-type") == "text/csv; charset=utf-8")
        #expect(
          response.header("content-disposition")
            == #"attachment; filename="days_2027-01-15_2027-01-15.csv""#
        )
        #expect(response.text.hasPrefix("day,users,active,active7,active28,new,"))
        #expect(response.text.contains("\r\n2027-01-15,"))
      }
    }
  }

  static let wrongReports: [(request: String, body: String, message: String)] = [
    (
      "GET events?from=yesterday", "",
      "Invalid value at 'from': a day such as 2026-11-23 is expected."
    ),
    (
      "GET events?to=2027-13-01", "", "Invalid value at 'to': a day such as 2026-11-23 is expected."
    ),
    ("GET events?format=xml", "", "Invalid value at 'format': json or csv is expected."),
    ("GET settings?format=csv", "", "This report is not a table and can't be CSV."),
    ("GET retention?days=91", "", "Invalid value at 'days': 1 to 90 is expected."),
    ("GET timeline", "", "Either instance or user is required."),
    ("GET timeline?instance=a&user=b", "", "Either instance or user is required."),
    ("GET timeline?user=a&limit=0", "", "Invalid value at 'limit': 1 to 10000 is expected."),
    ("POST funnel", "", "A funnel must have 1 to 10 steps."),
    ("POST funnel", #"{"steps":["a",7]}"#, "Invalid value at 'steps'."),
    ("POST funnel", #"{"steps":7}"#, "Invalid value at 'steps'."),
    (
      "POST funnel", #"{"steps":["a"],"windowSeconds":0}"#,
      "A funnel's window must be between 1 second and 365 days."
    ),
    ("POST funnel", #"{"steps":["a"],"windowSeconds":"x"}"#, "Invalid value at 'windowSeconds'."),
    ("POST funnel", "[]", "Invalid JSON payload received. An object is expected."),
    ("PATCH settings", "[]", "Invalid JSON payload received. An object is expected."),
    ("PATCH settings", #"{"timeZone":"Mars/Base"}"#, #"There is no time zone "Mars/Base"."#),
    ("PATCH settings", #"{"timeZone":7}"#, "Invalid value at 'timeZone'."),
    ("PATCH settings", #"{"retentionDays":1}"#, "The retention of events must be 2 to 3650 days."),
    ("PATCH settings", #"{"retentionDays":"x"}"#, "Invalid value at 'retentionDays'."),
    ("PATCH settings", #"{"keyEvents":[7]}"#, "Invalid value at 'keyEvents'."),
    ("PATCH settings", #"{"color":1}"#, "Invalid value at 'color'."),
    ("PUT audiences/loyal", "{}", "An audience needs a rule."),
    ("PUT audiences/loyal", "7", "Invalid JSON payload received. An object is expected."),
    (
      "PUT audiences/loyal", #"{"days":0,"rule":{"event":"a"}}"#,
      "An audience must cover 1 to 540 days."
    ),
    (
      "PUT audiences/loyal", #"{"days":"x","rule":{"event":"a"}}"#,
      "An audience must cover 1 to 540 days."
    ),
    (
      "PUT audiences/loyal", #"{"rule":{"color":7}}"#,
      "A rule of an audience must have exactly one member: event, property, group, a dimension, all, any or not."
    ),
    (
      "PUT audiences/\(String(repeating: "a", count: 101))", #"{"rule":{"event":"a"}}"#,
      "An audience's name must have 1 to 100 characters."
    ),
    ("POST erase", "{}", "Either appInstanceId or userId is required."),
    ("POST erase", #"{"appInstanceId":7}"#, "Either appInstanceId or userId is required."),
    (
      "POST erase", #"{"appInstanceId":"a","userId":"b"}"#,
      "Either appInstanceId or userId is required."
    ),
    (
      "POST erase", #"{"appInstanceId":7,"userId":"ana"}"#,
      "Either appInstanceId or userId is required."
    ),
    ("GET export/yesterday", "", "A day must have the form 2026-11-23."),
  ]

  @Test(arguments: wrongReports)
  func `a wrong request is refused and changes nothing`(
    request: String,
    body: String,
    message: String
  ) async throws {
    try await AnalyticsServer.run { analytics in
      try await analytics.send()
      let words = request.split(separator: " ")
      let response = try await analytics.routes.call(
        "\(words[0]) \(Self.reports)/\(words[1])",
        body: body
      )
      #expect(response.outcome == "400 INVALID_ARGUMENT \(message)")
      #expect(try await analytics.timeline() == ["view_item"])
      let audiences = try await analytics.routes.call("GET \(Self.reports)/audiences")
      #expect(audiences.text == #"{"audiences":[]}"#)
      #expect(analytics.analytics.settings(of: "p").keyEvents == [])
    }
  }

  @Test func `days that end before they begin are refused, and a body that is too long`()
    async throws
  {
    try await AnalyticsServer.run { analytics in
      let turned = try await analytics.routes.call(
        "GET \(Self.reports)/events?from=2027-01-15&to=2027-01-14"
      )
      #expect(turned.outcome.hasPrefix("400 INVALID_ARGUMENT A report must cover 1 to "))
      let long = try await analytics.routes.call(
        "POST \(Self.reports)/funnel",
        body: String(repeating: " ", count: 64 << 10 + 1)
      )
      #expect(long.status == 413)
    }
  }

  @Test func `an audience is kept, read with its members and removed`() async throws {
    try await AnalyticsServer.run { analytics in
      try await analytics.send()
      let routes = analytics.routes
      let path = "\(Self.reports)/audiences/loyal"
      let put = try await routes.call(
        "PUT \(path)",
        as: .administrator(.editor, of: "p"),
        body: #"{"days":7,"rule":{"event":"view_item"}}"#
      )
      let audience = #"{"name":"loyal","days":7,"rule":{"event":"view_item"},"users":1"#
      #expect(put.text == audience + "}")
      #expect(try await routes.call("GET \(path)").text == audience + "}")
      let members = try await routes.call("GET \(path)?limit=10")
      #expect(
        members.text == audience + #","appInstanceIds":["\#(AnalyticsServer.instance)"]}"#
      )
      let listed = try await routes.call("GET \(Self.reports)/audiences")
      #expect(listed.text == #"{"audiences":[\#(audience)}]}"#)
      let foreign = try await routes.call("GET /v1/projects/q/analytics/audiences/loyal")
      #expect(foreign.outcome == #"404 NOT_FOUND There is no audience "loyal"."#)
      #expect(try await routes.call("DELETE \(path)").text == "{}")
      let again = try await routes.call("DELETE \(path)")
      #expect(again.outcome == #"404 NOT_FOUND There is no audience "loyal"."#)
    }
  }

  @Test func `settings are changed one by one`() async throws {
    try await AnalyticsServer.run { analytics in
      let path = "\(Self.reports)/settings"
      let changed = try await analytics.routes.call(
        "PATCH \(path)",
        body: #"{"timeZone":"America/Sao_Paulo","keyEvents":["purchase"]}"#
      )
      #expect(changed["timeZone"]?.string == "America/Sao_Paulo")
      let again = try await analytics.routes.call("PATCH \(path)", body: #"{"retentionDays":30}"#)
      #expect(
        again.text
          == #"{"timeZone":"America/Sao_Paulo","retentionDays":30,"keyEvents":["purchase"]}"#
      )
      #expect(try await analytics.routes.call("GET \(path)").text == again.text)
      let other = try await analytics.routes.call("GET /v1/projects/q/analytics/settings")
      #expect(other["keyEvents"]?.elements == [])
    }
  }

  @Test(arguments: [
    #"{"userId":"ana"}"#, #"{"appInstanceId":"\#(AnalyticsServer.instance)"}"#,
  ])
  func `events of somebody are erased in the project alone`(body: String) async throws {
    try await AnalyticsServer.run { analytics in
      try await analytics.send()
      let other = try await analytics.routes.call(
        "POST /v1/projects/q/analytics/erase",
        body: body
      )
      #expect(other.text == #"{"events":0}"#)
      #expect(try await analytics.timeline() == ["view_item"])
      let erased = try await analytics.routes.call("POST \(Self.reports)/erase", body: body)
      #expect(erased.text == #"{"events":1}"#)
      #expect(try await analytics.timeline() == [])
    }
  }

  @Test func `a day is exported as packed lines`() async throws {
    try await AnalyticsServer.run { analytics in
      try await analytics.send()
      let response = try await analytics.routes.call("GET \(Self.reports)/export/2027-01-15")
      #expect(response.header("content-type") == "application/gzip")
      #expect(response.header("cache-control") == "no-store")
      let lines = String(
        decoding: try GzipReader.unpacked(response.bytes, limit: 1 << 20),
        as: UTF8.self
      )
      let row = try JSONValue(parsing: lines)
      #expect(row["event_name"]?.string == "view_item")
      #expect(row["user_pseudo_id"]?.string == AnalyticsServer.instance)
      let other = try await analytics.routes.call("GET \(Self.reports)/export/2027-01-14")
      #expect(try GzipReader.unpacked(other.bytes, limit: 1 << 20).isEmpty)
    }
  }
}
