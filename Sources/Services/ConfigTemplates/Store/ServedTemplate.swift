import BaseJSON
import BaseText
import Crypto
import Foundation
import Synchronization

/// A version of a template in memory, compiled, with the replies that clients got by it.
///
/// Clients of which the same conditions are true share a reply, which is made once and kept within a
/// bound of bytes. Any thread may call.
package final class ServedTemplate: Sendable {
  /// The project and the namespace of the template.
  package let id: TemplateID
  /// The version's number, author and time, as it was published.
  package let version: TemplateVersion
  /// The template as it was published.
  package let template: ConfigTemplate
  /// The number by which clients know it; see `TemplateHead`.
  package let served: Int64
  /// The template's conditions and splits, ready to be evaluated.
  package let compiled: CompiledTemplate

  private struct Replies {
    var byDecision: [CompiledTemplate.Decision: ConfigReply] = [:]
    var bytes = 0
  }

  private let replies = Mutex(Replies())
  /// Bytes of replies that a template keeps; beyond, it restarts.
  private static let replyBytes = 4 << 20

  init(
    _ template: ConfigTemplate,
    _ version: TemplateVersion,
    of id: TemplateID,
    served: Int64,
    compiled: CompiledTemplate
  ) {
    self.id = id
    self.version = version
    self.template = template
    self.served = served
    self.compiled = compiled
  }

  /// The same under another number for clients.
  func renumbered(_ served: Int64) -> ServedTemplate {
    ServedTemplate(template, version, of: id, served: served, compiled: compiled)
  }

  /// Returns the reply to a client with that decision.
  func reply(for decision: CompiledTemplate.Decision) -> ConfigReply {
    if let known = replies.withLock({ $0.byDecision[decision] }) { return known }
    let made = ConfigReply(self, decision)
    replies.withLock { replies in
      let size = made.body.count + decision.bytes.count
      if replies.bytes + size > Self.replyBytes { replies = Replies() }
      replies.bytes += size
      replies.byDecision[decision] = made
    }
    return made
  }

  /// The template's JSON with its conditions as trees, for Google's evaluators in back ends.
  package func serverJSON(version: JSONValue) -> JSONValue {
    let members = (template.json.members ?? []).filter { $0.key != "conditions" }
    let conditions = zip(compiled.conditionNames, compiled.conditions).map { name, condition in
      JSONValue.object([
        .init("name", .string(name)), .init("condition", condition.serverTree),
      ])
    }
    return .object(
      [.init("conditions", .array(conditions))] + members + [.init("version", version)]
    )
  }
}

/// A client's values, and the reasons for them.
package struct ConfigEvaluation: Sendable {
  /// Each parameter's value in the template's order.
  package let outcomes: [CompiledTemplate.Outcome]
  /// The names of the conditions that are true, in the template's order.
  package let conditions: [String]
  /// The number under which clients know the template.
  package let served: Int64

  init(_ template: ServedTemplate, _ decision: CompiledTemplate.Decision) {
    let compiled = template.compiled
    outcomes = compiled.outcomes(of: decision)
    conditions = zip(compiled.conditionNames, decision.bytes).compactMap { $1 == 1 ? $0 : nil }
    served = template.served
  }
}

/// The reply to a client.
package struct ConfigReply: Sendable {
  /// JSON.
  package let body: [UInt8]
  /// Names the body; it is other where a value or the served number is.
  package let etag: String
  /// The number of what it was made by.
  package let served: Int64
  /// The decisions to store about the installation.
  let assignment: ConfigAssignment

  init(_ template: ServedTemplate, _ decision: CompiledTemplate.Decision) {
    assignment = template.compiled.assignment(of: decision)
    let entries = template.compiled.members(of: decision)
    let (rollouts, experiments) = template.splits(of: decision)
    let rest = JSONValue.members([
      ("state", .string(entries.isEmpty ? "EMPTY_CONFIG" : "UPDATE")),
      ("templateVersion", .string("\(template.served)")),
      ("experimentDescriptions", experiments.isEmpty ? nil : .array(experiments)),
      ("rolloutMetadata", rollouts.isEmpty ? nil : .array(rollouts)),
    ])
    body = Self.body(entries, rest)
    served = template.served
    etag = Self.etag(of: body, template.id)
  }

  /// The object of the entries, if there are any, and of other members.
  private static func body(_ entries: [UInt8], _ rest: JSONValue) -> [UInt8] {
    let rest = rest.compact.utf8
    guard !entries.isEmpty else { return Array(rest) }
    return Array("{\"entries\":{".utf8) + entries + Array("},".utf8) + rest.dropFirst()
  }

  private init(body: [UInt8], etag: String, served: Int64) {
    assignment = ConfigAssignment()
    self.body = body
    self.etag = etag
    self.served = served
  }

  /// The response before the first publication.
  package static func nothing(for id: TemplateID) -> ConfigReply {
    let body = Array("{\"state\":\"NO_TEMPLATE\"}".utf8)
    return ConfigReply(body: body, etag: etag(of: body, id), served: 0)
  }

  /// The answer for a client that has this reply.
  package var unchanged: [UInt8] {
    Array("{\"state\":\"NO_CHANGE\",\"templateVersion\":\"\(served)\"}".utf8)
  }

  private static func etag(of body: [UInt8], _ id: TemplateID) -> String {
    let hash = Hexadecimal.text(SHA256.hash(data: body).prefix(10))
    return "etag-\(id.project.string)-\(id.namespace.rawValue)-fetch-\(hash)"
  }
}

extension ServedTemplate {
  /// Returns the clients' report of the splits that they are in.
  fileprivate func splits(
    of decision: CompiledTemplate.Decision
  ) -> (rollouts: [JSONValue], experiments: [JSONValue]) {
    var rollouts: [JSONValue] = []
    var experiments: [JSONValue] = []
    let reached = compiled.reachedSplits(decision)
    for (split, part) in zip(compiled.splits, decision.bytes.suffix(compiled.splits.count)) {
      guard part > 0, reached.contains(split.id) else { continue }
      let keys = JSONValue.array(split.keys.map(JSONValue.string))
      switch split.kind {
      case .rollout:
        rollouts.append(
          .members([
            ("rolloutId", .string(split.id)), ("variantId", .string("enabled")),
            ("affectedParameterKeys", keys),
          ])
        )
      case .experiment(_, let variants, _, _):
        let variant = variants[Int(part) - 1].id
        experiments.append(experiment(split.id, variant: variant, keys))
      }
    }
    return (rollouts, experiments)
  }

  /// Half a year, in which the client's SDK keeps the experiment.
  private static let experimentLife = "15552000000"

  private func experiment(_ id: String, variant: String, _ keys: JSONValue) -> JSONValue {
    let start = Date(timeIntervalSince1970: Double(version.updateTime / 1_000_000))
    return .members([
      ("experimentId", .string(id)), ("variantId", .string(variant)),
      ("experimentStartTime", .string(start.ISO8601Format())),
      ("triggerTimeoutMillis", .string(Self.experimentLife)),
      ("timeToLiveMillis", .string(Self.experimentLife)),
      ("affectedParameterKeys", keys),
    ])
  }
}
