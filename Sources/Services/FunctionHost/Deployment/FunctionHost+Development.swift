import BaseStatus
import Foundation

extension FunctionHost {
  /// Deploys a folder now and whenever its files change, until the task is cancelled.
  ///
  /// A source that can't be deployed leaves the running functions as they are; the log has the
  /// reason.
  package func develop(_ source: String, project: String, codebase: String = "default") async {
    var last: Int?
    while !Task.isCancelled {
      let stamp = Self.stamp(of: source)
      if stamp != last {
        last = stamp
        await deployDeveloped(source, project, codebase)
      }
      try? await Task.sleep(for: .milliseconds(500))
    }
  }

  private func deployDeveloped(_ source: String, _ project: String, _ codebase: String) async {
    let log = log
    do {
      let plan = try await deploy(source, project: project, codebase: codebase) { line in
        log.info("deploying functions", metadata: ["step": "\(line)"])
      }
      let names = (plan.created + plan.updated).sorted().joined(separator: " ")
      log.notice(
        "functions are ready",
        metadata: ["project": "\(project)", "functions": "\(names)"]
      )
    } catch is CancellationError {
    } catch {
      let reason = (error as? ServiceError)?.message ?? "\(error)"
      log.error("the functions could not be deployed", metadata: ["error": "\(reason)"])
    }
  }

  /// A number that changes with the names, sizes and times of a source's files.
  private static func stamp(of source: String) -> Int {
    var hasher = Hasher()
    for (path, size, modified) in SourceTree.status(of: source) {
      hasher.combine(path)
      hasher.combine(size)
      hasher.combine(modified)
    }
    return hasher.finalize()
  }
}
