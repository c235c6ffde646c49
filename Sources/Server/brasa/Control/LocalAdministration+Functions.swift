import BaseJSON
import BaseStatus
import BaseText
import Dispatch
import FirestoreModel
import Foundation
import FunctionHost
import Synchronization

extension LocalAdministration {
  /// Does what `brasa functions` asks, on one project.
  func functions(
    _ request: FunctionsRequest,
    project: String,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    try DatabaseID(project: Text(project), database: "(default)").checkCreatable()
    let functions = try runningFunctions()
    switch request {
    case .deploy(let folder, let codebase):
      try deployFunctions(functions, folder, project, codebase, output)
    case .list: try listFunctions(functions, project, output)
    case .releases(let codebase):
      try listReleases(functions, project, codebase, output)
    case .rollBack(let codebase, let number):
      let (release, plan) = try Waiting.value(output) { _ in
        try await functions.rollBack(project: project, codebase: codebase, to: number)
      }
      try tell(plan, output)
      try output(.finished(summary: "\(codebase) of \(project) is release \(release) again"))
    case .delete(let codebase):
      let names = try Waiting.value(output) { _ in
        try await functions.delete(project: project, codebase: codebase)
      }
      for name in names { try output(.line("deleted  \(name)")) }
      try output(.finished(summary: "deleted the codebase \(codebase) of \(project)"))
    case .call(let name, let data):
      try callFunction(functions, name, data: data, project, output)
    case .logs(let function, let sequence, let text):
      let entries = functions.logs.entries(
        of: project,
        function: function,
        after: sequence,
        containing: text
      )
      let encoder = JSONEncoder()
      for entry in entries {
        try output(.item(file: entry.function, bytes: Array(try encoder.encode(entry))))
      }
      try output(.finished(summary: ""))
    case .setSecret(let name, let value):
      try functions.secrets.set(name, to: value, of: project)
      try output(.finished(summary: "set \(name); new instances will have it"))
    case .listSecrets:
      let names = try functions.secrets.names(of: project)
      for name in names { try output(.line(name)) }
      try output(.finished(summary: names.count.counting("secret")))
    case .deleteSecret(let name):
      try functions.secrets.delete(name, of: project)
      try output(.finished(summary: "deleted \(name)"))
    }
  }

  /// The functions of this server; throws where they run elsewhere or nowhere.
  private func runningFunctions() throws -> FunctionHost {
    if isAway {
      throw ServiceError(
        .failedPrecondition,
        "Functions run on the primary of the cluster. Run the command there; brasa nodes shows which node it is."
      )
    }
    guard let functions else {
      throw ServiceError(
        .failedPrecondition,
        "Functions need a running server that serves them. Start one with brasa serve --functions."
      )
    }
    return functions
  }

  private func deployFunctions(
    _ functions: FunctionHost,
    _ folder: String,
    _ project: String,
    _ codebase: String,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let plan = try Waiting.value(output) { tell in
      try await functions.deploy(folder, project: project, codebase: codebase, tell: tell)
    }
    try tell(plan, output)
    let count = plan.created.count + plan.updated.count
    try output(.finished(summary: "\(codebase) of \(project) has \(count.counting("function"))"))
  }

  private func listReleases(
    _ functions: FunctionHost,
    _ project: String,
    _ codebase: String,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let releases = try Waiting.value(output) { _ in
      try await functions.releases(project: project, codebase: codebase)
    }
    for release in releases { try output(.line(Self.line(release))) }
    try output(.finished(summary: releases.count.counting("release")))
  }

  private func tell(
    _ plan: FunctionHost.Plan,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    for name in plan.created { try output(.line("created  \(name)")) }
    for name in plan.updated { try output(.line("updated  \(name)")) }
    for name in plan.deleted { try output(.line("deleted  \(name)")) }
  }

  private static func line(_ release: FunctionHost.Release) -> String {
    let time = Date(timeIntervalSince1970: release.deployed).formatted(.iso8601)
    let parts = [
      "\(release.number)", time, String(release.digest.prefix(12)),
      release.functions.joined(separator: ","),
    ]
    return (parts + (release.isInForce ? ["in force"] : [])).joined(separator: "  ")
  }

  private func listFunctions(
    _ functions: FunctionHost,
    _ project: String,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let listings = try Waiting.value(output) { _ in await functions.list(project: project) }
    for listing in listings {
      let endpoint = listing.endpoint
      let parts = [
        listing.codebase, endpoint.name, endpoint.trigger.word,
        endpoint.regions.joined(separator: ","),
        "\(endpoint.memoryMegabytes) MB", "\(listing.instances) running",
      ]
      try output(.line(parts.joined(separator: "  ")))
    }
    try output(.finished(summary: listings.count.counting("function")))
  }

  private func callFunction(
    _ functions: FunctionHost,
    _ name: String,
    data: String,
    _ project: String,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let value = try JSONValue(parsing: data)
    let response = try Waiting.value(output) { _ in
      guard
        let (function, endpoint) = await functions.function(
          project: project,
          region: nil,
          name: name
        )
      else { throw ServiceError(.notFound, "\(project) has no function \(name).") }
      var request = InvocationRequest()
      request.headers = [("content-type", "application/json")]
      let body: JSONValue
      switch endpoint.trigger {
      case .callable, .taskQueue: body = .object(["data": value])
      case .http: body = value
      case .schedule:
        body = .null
        request.headers = [("x-cloudscheduler", "true")]
      case .event, .blocking:
        throw ServiceError(
          .failedPrecondition,
          "\(name) runs only on its events. Trigger one, for example by writing its document."
        )
      }
      if body != .null { request.body = body.compactBytes }
      return await functions.invoke(function, request)
    }
    switch response {
    case .responded(let status, let body):
      try output(.line(String(decoding: body, as: UTF8.self)))
      try output(.finished(summary: "status \(status)"))
    case .timedOut: throw ServiceError(.deadlineExceeded, "\(name) did not respond in time.")
    case .failed(let reason): throw ServiceError(.unavailable, reason)
    case .absent: throw ServiceError(.notFound, "\(project) has no function \(name).")
    }
  }
}

/// Waits for asynchronous work on a thread that may block, and forwards its progress.
private enum Waiting {
  private struct State<Value: Sendable>: Sendable {
    var lines: [String] = []
    var result: Result<Value, any Error>?
  }

  private final class Box<Value: Sendable>: Sendable {
    let state = Mutex(State<Value>())
    let signal = DispatchSemaphore(value: 0)
  }

  static func value<Value: Sendable>(
    _ output: (AdministrationReply) throws -> Void,
    _ work: @escaping @Sendable (_ tell: @escaping @Sendable (String) -> Void) async throws -> Value
  ) throws -> Value {
    let box = Box<Value>()
    let task = Task {
      let result: Result<Value, any Error>
      do {
        result = .success(
          try await work { line in
            box.state.withLock { $0.lines.append(line) }
            box.signal.signal()
          }
        )
      } catch {
        result = .failure(error)
      }
      box.state.withLock { $0.result = result }
      box.signal.signal()
    }
    while true {
      box.signal.wait()
      let (lines, result) = box.state.withLock { state in
        defer { state.lines = [] }
        return (state.lines, state.result)
      }
      do {
        for line in lines { try output(.line(line)) }
      } catch {
        // The command is gone; its unfinished work is undone.
        task.cancel()
        throw error
      }
      if let result { return try result.get() }
    }
  }
}
