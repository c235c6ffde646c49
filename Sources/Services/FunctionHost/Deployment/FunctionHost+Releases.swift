import BaseStatus
import Foundation

// Earlier deployments of a codebase, and the return to them.

extension FunctionHost {
  /// A deployment in a list.
  package struct Release: Sendable {
    /// The number, counted from 1 in each codebase.
    package let number: Int
    /// Seconds since 1970.
    package let deployed: Double
    /// The digest of the source; that of the newest, where functions were deployed one by one.
    package let digest: String
    /// The names of the functions.
    package let functions: [String]
    /// True for the deployment in force.
    package let isInForce: Bool
  }

  /// The deployments of a codebase that are kept, the newest first; throws NOT_FOUND where there is no such codebase.
  package func releases(project: String, codebase: String) throws -> [Release] {
    let current = try current(project, codebase)
    return try folder.releases(project: project, codebase: codebase).map { parts in
      let newest = parts.max { $0.deployed < $1.deployed }
      return Release(
        number: parts.number,
        deployed: newest?.deployed ?? 0,
        digest: newest?.digest ?? "",
        functions: try parts.flatMap { try $0.functions().endpoints.map(\.name) }.sorted(),
        isInForce: parts.number == current.number
      )
    }
  }

  /// Puts an earlier deployment of a codebase in force again, with its source, packages and variables.
  ///
  /// Secrets are those of now. Without a number it is the one before the deployment in force.
  package func rollBack(
    project: String,
    codebase: String,
    to number: Int?
  ) throws -> (number: Int, plan: Plan) {
    let current = try current(project, codebase)
    let releases = try folder.releases(project: project, codebase: codebase)
    let wanted = releases.first { release in
      if let number { release.number == number } else { release.number < current.number }
    }
    guard let wanted else {
      throw ServiceError(
        .notFound,
        "\(codebase) of \(project) has no \(number.map { "release \($0)" } ?? "earlier release"). List them: brasa functions releases --codebase \(codebase) --project \(project)"
      )
    }
    guard wanted.number != current.number else {
      throw ServiceError.invalidArgument("Release \(wanted.number) is already live.")
    }
    let isThere = wanted.allSatisfy { part in
      folder.isInstalled(part.environment)
        && FileManager.default.fileExists(atPath: folder.source(part.source))
    }
    guard isThere else {
      throw ServiceError(
        .failedPrecondition,
        "The files of release \(wanted.number) are gone. Deploy its source again."
      )
    }
    let parts = wanted.map { part in
      var part = part
      part.switchedOff = nil
      return part
    }
    return (wanted.number, try putInForce(parts))
  }

  private func current(_ project: String, _ codebase: String) throws -> [Deployment] {
    guard let found = codebases[Name(project: project, codebase: codebase)] else {
      throw ServiceError(.notFound, "\(project) has no codebase \(codebase).")
    }
    return found.deployments
  }
}
