import Foundation
import RESTClient

/// Sends the outbox to the server, oldest first, one entry at a time.
///
/// The first entry that meets a fault which may pass (no reply, 408, 429, 5xx) ends the pass, so
/// that order is kept; an entry that the server refuses is set aside with the refusal's text, and
/// the next one follows. All who ask while a pass runs wait for that pass and, as they may have
/// added an entry behind its back, for one more.
package actor Synchronizer {
  package enum Outcome: Sendable, Equatable {
    /// Nothing waits, save what the server has refused.
    case done
    /// The server could not be reached or could not answer now.
    case postponed(RequestError)
  }

  private let outbox: Outbox
  private let service: any ReceiptService
  private var pass: Task<Outcome, any Error>?
  private var following: Task<Outcome, any Error>?

  package init(outbox: Outbox, service: any ReceiptService) {
    self.outbox = outbox
    self.service = service
  }

  /// - Throws: The error of the outbox's file; faults of the network are an outcome.
  package func synchronize() async throws -> Outcome {
    if let following { return try await following.value }
    guard let pass else { return try await start().value }
    let task = Task {
      _ = await pass.result
      return try await self.startFollowing().value
    }
    following = task
    return try await task.value
  }

  private func startFollowing() -> Task<Outcome, any Error> {
    following = nil
    return start()
  }

  private func start() -> Task<Outcome, any Error> {
    let task = Task {
      defer { pass = nil }
      return try await sendAll()
    }
    pass = task
    return task
  }

  private func sendAll() async throws -> Outcome {
    var last: Int64 = 0
    while let entry = try outbox.next(after: last) {
      last = entry.number
      do {
        try await send(entry)
      } catch let error as RequestError where error.isTemporary {
        return .postponed(error)
      } catch let error as RequestError {
        try outbox.refuse(entry, because: error.serverMessage ?? "O servidor recusou o registro")
        continue
      }
      try outbox.remove(entry)
    }
    return .done
  }

  private func send(_ entry: Outbox.Entry) async throws {
    switch entry.work {
    case .post(let receipt): try await service.post(receipt)
    case .delete(let id): try await service.delete(id)
    }
  }
}
