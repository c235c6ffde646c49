import BaseJSON
import BaseStatus

/// One case of a specification file: steps that happen to a client, each with what is expected then.
package struct SpecCase: Sendable {
  package let name: String
  package let tags: Set<String>
  let usesEagerCollection: Bool
  let maxConcurrentLimboResolutions: Int?
  let clientCount: Int
  let steps: [JSONValue]

  /// Reads a case of a file.
  init(_ json: JSONValue) throws {
    guard let describe = json["describeName"]?.string, let name = json["itName"]?.string,
      let steps = json["steps"]?.elements
    else { throw SpecProblem.malformed("a case without names or steps") }
    let title = [describe, name].joined(separator: " ")
    self.name = title.hasSuffix(" ") ? String(title.dropLast()) : title
    tags = Set((json["tags"]?.elements ?? []).compactMap(\.string))
    usesEagerCollection = json["config"]?["useEagerGCForMemory"]?.boolean ?? true
    maxConcurrentLimboResolutions =
      (json["config"]?["maxConcurrentLimboResolutions"]?.integer).map { Int($0) }
    clientCount = Int(json["config"]?["numClients"]?.integer ?? 1)
    self.steps = steps
  }

  /// Reads the cases of a file's text, in their order.
  package static func parse(_ text: String) throws -> [SpecCase] {
    guard let members = try JSONValue(parsing: text).members else {
      throw SpecProblem.malformed("a file that is no object")
    }
    return try members.map { try SpecCase($0.value) }
  }
}

/// Why a case did not pass.
package enum SpecProblem: Error {
  /// The case is not of the format.
  case malformed(String)
  /// The case needs what the runner does not have.
  case unsupported(String)
  /// The client did something else than expected.
  case unexpected(String)
}

/// The lifetime of a client's store.
package enum SpecMode: String, Sendable, CaseIterable {
  /// In memory, as long as the client.
  case memory
  /// Surviving restarts of the client.
  case durable
}

/// The outcome of a case.
package enum SpecOutcome: Sendable {
  case passed
  case failed(step: Int, reason: String)
  case skipped(reason: String)
}

extension SpecCase {
  /// Runs the case.
  package func run(_ mode: SpecMode) -> SpecOutcome {
    if let reason = reasonToSkip(mode) { return .skipped(reason: reason) }
    var index = 0
    do {
      let run = try SpecRun(self, mode)
      for step in steps {
        try run.perform(step)
        index += 1
      }
      return .passed
    } catch SpecProblem.unsupported(let reason) {
      return .skipped(reason: reason)
    } catch SpecProblem.unexpected(let reason) {
      return .failed(step: index, reason: reason)
    } catch SpecProblem.malformed(let reason) {
      return .failed(step: index, reason: "malformed: \(reason)")
    } catch let error as ServiceError {
      return .failed(step: index, reason: error.message)
    } catch {
      return .failed(step: index, reason: "\(error)")
    }
  }

  private func reasonToSkip(_ mode: SpecMode) -> String? {
    if tags.contains("multi-client") || clientCount > 1 { return "needs several clients" }
    if tags.contains("benchmark") { return "is a benchmark" }
    switch mode {
    case .memory: return tags.contains("durable-persistence") ? "needs a durable store" : nil
    case .durable: return tags.contains("eager-gc") ? "needs eager collection" : nil
    }
  }
}
