import BaseStatus
import Foundation
import Logging

// Blocking functions that are switched off: deployed, and asked about nothing.

extension FunctionHost {
  /// The deployments in force of a data directory, or of the store that it shares with other machines.
  private static func inForce(
    _ configuration: FunctionHostConfiguration,
    _ shared: (any SharedFunctionFiles)?
  ) throws -> [Deployment] {
    if let shared, let files = try shared.list() {
      return try files.filter { $0.key.hasPrefix("deployments/") && $0.key.hasSuffix(".json") }
        .flatMap { try DeploymentFolder.parts(of: Data(try shared.read($0.value))) }
    }
    let folder = DeploymentFolder(configuration: configuration)
    guard FileManager.default.fileExists(atPath: folder.deployments) else { return [] }
    return try folder.all()
  }

  /// The blocking functions that are deployed and decide, by project: for a server that serves none.
  package static func deployedBlockingTypes(
    _ configuration: FunctionHostConfiguration,
    shared: (any SharedFunctionFiles)? = nil
  ) throws -> [String: Set<String>] {
    var types: [String: Set<String>] = [:]
    for deployment in try inForce(configuration, shared) {
      for type in try deployment.decidingTypes() {
        types[deployment.project, default: []].insert(type)
      }
    }
    return types
  }

  /// Throws where functions decide about sign-ins that other nodes of a cluster would let through.
  package static func checkCluster(
    _ configuration: FunctionHostConfiguration,
    shared: any SharedFunctionFiles
  ) throws {
    let types = try deployedBlockingTypes(configuration, shared: shared)
    guard types.isEmpty else {
      throw noBlockingInCluster(types.keys.sorted().map { "those of \($0)" })
    }
  }

  static func noBlockingInCluster(_ names: [String]) -> ServiceError {
    ServiceError(
      .failedPrecondition,
      "Blocking functions don't run in a cluster: \(names.joined(separator: ", ")). Remove them, or start the server without --cluster."
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
      try keep(parts)
      try guarded.note(parts)
      codebases[key] = Codebase(deployments: parts, pools: codebase.pools)
      log.notice(
        "blocking functions were switched on or off",
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
