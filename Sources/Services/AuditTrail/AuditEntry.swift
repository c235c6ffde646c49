import BaseJSON

/// Something that an administrator did.
package struct AuditEvent: Sendable, Hashable {
  /// The administrator's email address; empty for actions at the machine itself.
  package var administrator: String
  /// The client's IP address; empty for actions at the machine itself.
  package var address: String
  /// The HTTP method, or a word of the console's own such as `sign-in`.
  package var action: String
  /// The path, or the account that it is about.
  package var target: String
  /// The HTTP status of the response.
  package var status: Int
  /// The id of the request, which logs and `x-request-id` carry too.
  package var requestID: String
  /// The names in the body of a call about several: a verb and a name each.
  package var subjects: [String]

  /// An event; texts are cut to a few hundred characters.
  package init(
    administrator: String,
    address: String,
    action: String,
    target: String,
    status: Int,
    requestID: String,
    subjects: [String] = []
  ) {
    self.subjects = subjects.prefix(Self.mostSubjects).map { String($0.prefix(Self.longest)) }
    self.administrator = String(administrator.prefix(Self.longest))
    self.address = String(address.prefix(Self.longest))
    self.action = String(action.prefix(Self.longest))
    self.target = String(target.prefix(2 * Self.longest))
    self.status = status
    self.requestID = String(requestID.prefix(Self.longest))
  }

  private static let longest = 300
  /// Some more than a call keeps, with how many more there were.
  private static let mostSubjects = 101
}

/// One entry of the audit trail.
package struct AuditEntry: Sendable, Hashable {
  /// Counts from 1 without gaps.
  package let number: Int64
  /// Microseconds since 1970.
  package let time: Int64
  /// The act that the entry records.
  package let event: AuditEvent
  /// The digest of this entry and of all before it.
  package let digest: [UInt8]
}

extension AuditEvent {
  /// The event and its time as the text that is kept.
  func record(at time: Int64) -> String {
    let about =
      subjects.isEmpty ? [] : [JSONValue.Member("subjects", .array(subjects.map(JSONValue.string)))]
    return JSONValue.object(
      [
        .init("time", .number(String(time))), .init("administrator", .string(administrator)),
        .init("address", .string(address)), .init("action", .string(action)),
        .init("target", .string(target)), .init("status", .number(String(status))),
        .init("request", .string(requestID)),
      ] + about
    ).compact
  }

  /// Reads what `record(at:)` wrote; nil for anything else.
  static func read(_ record: String) -> (event: AuditEvent, time: Int64)? {
    guard let json = try? JSONValue(parsing: record), let time = json["time"]?.integer,
      let status = json["status"]?.integer
    else { return nil }
    let texts = ["administrator", "address", "action", "target", "request"].compactMap {
      json[$0]?.string
    }
    guard texts.count == 5 else { return nil }
    var subjects: [String] = []
    if case .array(let names)? = json["subjects"] { subjects = names.compactMap(\.string) }
    let event = AuditEvent(
      administrator: texts[0],
      address: texts[1],
      action: texts[2],
      target: texts[3],
      status: Int(status),
      requestID: texts[4],
      subjects: subjects
    )
    return (event, time)
  }
}
