import BaseStatus
import Foundation
import Logging

// Blocking functions that are switched off: deployed, and asked about nothing.

extension FunctionHost {
  /// Throws where functions decide about sign-ins that other nodes of a cluster would let through.
  nonisolated func checkBlockingInCluster() throws {
    guard configuration.isClustered else { return }
    let names = try folder.all().flatMap { deployment in
      let types = Set(try deployment.decidingTypes())
      return try deployment.functions().endpoints.filter { endpoint in
        if case .blocking(let type, _) = endpoint.trigger { types.contains(type) } else { false }
      }
      .map(\.name)
    }
    guard names.isEmpty else { throw Self.noBlockingInCluster(names) }
  }

  static func noBlockingInCluster(_ names: [String]) -> ServiceError {
    ServiceError(
      .failedPrecondition,
      "Functions that decide about sign-ins don't run in a cluster, whose nodes all sign people in: \(names.joined(separator: ", ")). Remove them, or serve without --cluster."
    )
  }

  /// A blocking function of a project.
  package struct BlockingFunction: Sendable {
    /// The function.
    package let function: DeployedFunction
    /// The last part of its event type, such as `beforeCreate`.
    package let step: String
    /// True where it decides; false where an administrator switched it off.
    package let isOn: Bool
  }

  /// The blocking functions of a project, each in its regions.
  package func blockingFunctions(of project: String) throws -> [BlockingFunction] {
    let off = Set(
      codebases.filter { $0.key.project == project }
        .flatMap { $0.value.deployments.flatMap { $0.switchedOff ?? [] } }
    )
    return try deployed(project: project).compactMap { function in
      guard case .blocking(let type, _) = function.endpoint.trigger else { return nil }
      return BlockingFunction(
        function: function,
        step: type.split(separator: ".").last.map(String.init) ?? type,
        isOn: !off.contains(function.endpoint.name)
      )
    }
  }

  /// Has the blocking functions of those names decide, and switches the project's others off.
  ///
  /// A function that is deployed again decides again.
  package func switchBlocking(on names: Set<String>, project: String) throws {
    for (key, codebase) in codebases where key.project == project {
      var parts = codebase.deployments
      for index in parts.indices {
        let off = try parts[index].functions().endpoints.filter { endpoint in
          if case .blocking = endpoint.trigger { !names.contains(endpoint.name) } else { false }
        }
        parts[index].switchedOff = off.isEmpty ? nil : off.map(\.name).sorted()
      }
      guard parts.map(\.switchedOff) != codebase.deployments.map(\.switchedOff) else { continue }
      try folder.keep(parts)
      try publish()
      try guarded.note(parts)
      codebases[key] = Codebase(deployments: parts, pools: codebase.pools)
      log.notice(
        "blocking functions were switched",
        metadata: [
          "project": "\(project)", "codebase": "\(key.codebase)",
          "off": "\(parts.flatMap { $0.switchedOff ?? [] }.joined(separator: " "))",
        ]
      )
    }
  }
}

extension Deployment {
  /// The event types of its blocking functions that decide.
  func decidingTypes() throws -> [String] {
    let off = Set(switchedOff ?? [])
    return try functions().endpoints.compactMap { endpoint in
      guard case .blocking(let type, _) = endpoint.trigger, !off.contains(endpoint.name) else {
        return nil
      }
      return type
    }
  }
}
