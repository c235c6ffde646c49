import BaseJSON
import BaseStatus
import BaseText
import Events
import HTTPTypes
import ServiceModule

/// Eventarc's channels as the Admin SDKs publish on them, below `/v1` and, as they ask an emulator, without it.
///
///     POST /projects/{project}/locations/{location}/channels/{channel}:publishEvents   publishes {events}
struct ChannelRoutes: Sendable {
  let environment: EventsEnvironment

  private static let bodyLimit = 4 << 20
  private static let eventLimit = 100

  var routes: [HTTPRoute] {
    ["/v1", ""].map { version in
      let path = "/projects/{project}/locations/{location}/channels/{channel}:publishEvents"
      return HTTPRoute(
        .post,
        RoutePattern(version + path),
        for: .administrators,
        handler: publish
      )
    }
  }

  private func publish(_ request: ServiceRequest) async throws -> ServiceResponse {
    let project = try await environment.project(of: request)
    let body = try await request.jsonObject(upTo: Self.bodyLimit)
    let listed = body["events"]?.elements ?? []
    guard (1...Self.eventLimit).contains(listed.count) else {
      throw ServiceError(.invalidArgument, "A request must publish 1 to \(Self.eventLimit) events.")
    }
    let (location, name) = (request.variable("location"), request.variable("channel"))
    let channel = "locations/\(location)/channels/\(name)"
    try await environment.bus.publish(
      try listed.map(Self.event),
      on: channel,
      project: project,
      by: environment.author(of: request)
    )
    return .of([])
  }

  private static func event(_ json: JSONValue) throws -> CustomEvent {
    var attributes: [String: String] = [:]
    for name in ["id", "source", "type"] { attributes[name] = json[name]?.string }
    for member in json["attributes"]?.members ?? [] {
      guard isName(member.key) else {
        throw ServiceError(
          .invalidArgument,
          "The attribute \(member.key.prefix(40)) must consist of lower-case letters and digits."
        )
      }
      attributes[member.key] = text(member.value)
    }
    var data: [UInt8] = []
    if let text = json["textData"]?.string ?? json["text_data"]?.string {
      data = Array(text.utf8)
    } else if let text = json["binaryData"]?.string ?? json["binary_data"]?.string {
      guard let bytes = Base64.decode(text) else {
        throw ServiceError(.invalidArgument, "An event's binaryData is not valid Base64.")
      }
      data = bytes
    }
    return CustomEvent(attributes: attributes, data: data)
  }

  private static func isName(_ name: String) -> Bool {
    (1...20).contains(name.utf8.count)
      && name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
  }

  /// The value of an attribute, whichever of its kinds it has.
  private static func text(_ value: JSONValue) -> String? {
    if let text = value.string { return text }
    let kinds = [
      "ceString", "ceTimestamp", "ceUri", "ceUriRef", "ceBytes", "ceInteger", "ceBoolean",
    ]
    for kind in kinds {
      switch value[kind] {
      case .string(let text)?: return text
      case .number(let digits)?: return digits
      case .boolean(let flag)?: return flag ? "true" : "false"
      default: continue
      }
    }
    return nil
  }
}
