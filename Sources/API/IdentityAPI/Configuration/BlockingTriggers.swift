import Authentication
import BaseJSON

/// A blocking function that decides about a step of sign-ins.
package struct BlockingTrigger: Sendable, Hashable {
  /// The step, such as `beforeCreate`.
  package let step: String
  /// The function's address.
  package let uri: String
  /// The time of its deployment, in the text of RFC 3339.
  package let updateTime: String

  /// A trigger of that function.
  package init(step: String, uri: String, updateTime: String) {
    (self.step, self.uri, self.updateTime) = (step, uri, updateTime)
  }
}

/// The blocking functions of projects.
package protocol BlockingTriggers: Sendable {
  /// The functions that decide.
  func triggers(of project: String) async throws -> [BlockingTrigger]

  /// Has the deployed functions of those addresses decide, by step, and no others.
  ///
  /// - Returns: The step whose address is no deployed function's for it, before anything changes; nil where all went well.
  func replaceTriggers(of project: String, with uris: [String: String]) async throws -> String?
}

/// The member `blockingFunctions` of a project's configuration, by which Google's command line has functions decide.
enum BlockingFunctionsJSON {
  private static let name = "blockingFunctions"
  private static let steps = ["beforeCreate", "beforeSignIn"]
  private static let credentials = ["accessToken", "idToken", "refreshToken"]

  /// A configuration with the functions that decide.
  static func add(_ triggers: [BlockingTrigger], to configuration: JSONValue) -> JSONValue {
    guard !triggers.isEmpty, case .object(let members) = configuration else { return configuration }
    let list = triggers.sorted { $0.step < $1.step }.map { trigger in
      JSONValue.Member(
        trigger.step,
        .object([
          .init("functionUri", .string(trigger.uri)),
          .init("updateTime", .string(trigger.updateTime)),
        ])
      )
    }
    return .object(members + [.init(name, .object([.init("triggers", .object(list))]))])
  }

  /// A change without its part about blocking functions.
  static func rest(of body: JSONValue) -> JSONValue {
    guard case .object(let members) = body else { return body }
    return .object(members.filter { $0.key != name && $0.key != "blocking_functions" })
  }

  /// The addresses that a change asks for, by step; nil for a change that says nothing about them.
  ///
  /// Throws for what no function can be asked.
  static func change(
    in body: JSONValue,
    mask: UpdateMask?,
    from current: [BlockingTrigger]
  ) throws -> [String: String]? {
    let value = body[[name]] ?? body[["blocking_functions"]]
    guard mask?.names(name) ?? (value != nil) else { return nil }
    try check(value)
    var uris = Dictionary(current.map { ($0.step, $0.uri) }) { first, _ in first }
    for step in steps where mask?.names("\(name).triggers.\(step)") ?? true {
      uris[step] = value?[["triggers", step, "functionUri"]]?.text
    }
    return uris
  }

  private static func check(_ value: JSONValue?) throws {
    guard let value, value != .null else { return }
    guard case .object(let members) = value else {
      throw IdentityFailure.invalid("Invalid value at '\(name)' (TYPE_MESSAGE)")
    }
    for member in members {
      guard ["triggers", "forwardInboundCredentials"].contains(member.key) else {
        throw unknown(member.key)
      }
      guard case .object(let parts) = member.value else {
        throw IdentityFailure.invalid("Invalid value at '\(name).\(member.key)' (TYPE_MESSAGE)")
      }
      for part in parts {
        switch member.key {
        case "triggers" where steps.contains(part.key): try checkAddress(part)
        case "triggers":
          throw AccountError(
            .operationNotAllowed,
            "This server calls functions for \(steps.joined(separator: " and ")), not for \(part.key.prefix(60))."
          )
        case "forwardInboundCredentials" where credentials.contains(part.key):
          guard part.value != .boolean(true) else {
            throw AccountError(
              .operationNotAllowed,
              "This server does not forward provider credentials to functions. Remove \(part.key)."
            )
          }
        default: throw unknown("\(member.key).\(part.key)")
        }
      }
    }
  }

  private static func unknown(_ path: String) -> IdentityFailure {
    .invalid(
      "Invalid JSON payload received. Unknown name \"\(name).\(path.prefix(100))\": Cannot find field."
    )
  }

  private static func checkAddress(_ trigger: JSONValue.Member) throws {
    let uri = trigger.value[["functionUri"]]
    guard uri == nil || uri?.text != nil else {
      throw IdentityFailure.invalid(
        "Invalid value at '\(name).triggers.\(trigger.key).functionUri' (TYPE_STRING)"
      )
    }
  }
}

extension JSONValue {
  /// A text that is not empty.
  fileprivate var text: String? {
    if case .string(let text) = self, !text.isEmpty { text } else { nil }
  }
}
