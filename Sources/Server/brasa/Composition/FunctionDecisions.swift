import Foundation
import FunctionHost
import IdentityAPI

/// The blocking functions of a host, as the configuration of accounts shows and switches them.
struct FunctionDecisions: BlockingTriggers {
  let host: FunctionHost
  let origin: @Sendable () -> String

  func triggers(of project: String) async throws -> [BlockingTrigger] {
    try await host.blockingFunctions(of: project).filter(\.isOn).map { decision in
      BlockingTrigger(
        step: decision.step,
        uri: uri(decision, project),
        updateTime: Date(timeIntervalSince1970: decision.function.updated)
          .formatted(.iso8601)
      )
    }
  }

  func replaceTriggers(of project: String, with uris: [String: String]) async throws -> String? {
    let deployed = try await host.blockingFunctions(of: project)
    var names: Set<String> = []
    for (step, wanted) in uris.sorted(by: { $0.key < $1.key }) {
      let found = deployed.first { $0.step == step && uri($0, project) == wanted }
      guard let found else { return step }
      names.insert(found.function.endpoint.name)
    }
    try await host.switchBlocking(on: names, project: project)
    return nil
  }

  /// The address that the command line reads of a function.
  private func uri(_ decision: FunctionHost.BlockingFunction, _ project: String) -> String {
    "\(origin())/\(project)/\(decision.function.region)/\(decision.function.endpoint.name)"
  }
}
