import Access
import BaseStatus
import FirestoreModel
import FirestoreWire
import Realtime
import Synchronization

/// A client's Listen stream: its messages decoded and handed to the hub.
///
/// The first message names the database. A problem with one target ends that target; any other
/// problem ends the stream. Only the hub responds, except for a stream that it does not know.
final class ListenCall: StreamCall {
  private enum State {
    /// No message has come.
    case waiting
    case open(DatabaseID, ListenStream)
    case ended
  }

  private let hub: ListenHub
  private let authority: CallerAuthority
  private let responses: any StreamResponses
  private let state = Mutex(State.waiting)

  init(
    hub: ListenHub,
    authority: CallerAuthority,
    responses: any StreamResponses
  ) {
    self.hub = hub
    self.authority = authority
    self.responses = responses
  }

  func receive(_ message: [UInt8]) {
    do throws(ServiceError) {
      let request = try ListenRequest(decoding: message)
      guard let stream = try stream(in: request.database) else { return }
      switch request.change {
      case .add(let target): stream.add(TargetRequest(target), bytes: message.count)
      case .remove(let id): stream.remove(id)
      }
    } catch {
      refuse(message, error)
    }
  }

  func finishRequests() { end(nil) }

  func cancel() {
    if case .open(_, let stream) = state.withLock({ $0 }) { stream.close() }
    state.withLock { $0 = .ended }
  }

  func resumeSending() {
    if case .open(_, let stream) = state.withLock({ $0 }) { stream.resume() }
  }

  private func refuse(_ message: [UInt8], _ error: ServiceError) {
    guard let (database, id) = ListenRequest.refusedTarget(in: message),
      let stream = try? stream(in: database)
    else { return end(error) }
    stream.refuse(id, error)
  }

  private func end(_ error: ServiceError?) {
    let last = state.withLock { state in
      defer { state = .ended }
      return state
    }
    switch last {
    case .waiting: responses.finish(error)
    case .open(_, let stream): stream.end(error)
    case .ended: break
    }
  }

  /// The hub's stream, opened by the first message; nil once it has ended.
  private func stream(in database: DatabaseID) throws(ServiceError) -> ListenStream? {
    let current = state.withLock { $0 }
    switch current {
    case .ended: return nil
    case .open(let expected, let stream):
      guard database == expected else {
        throw .invalidArgument(
          "Request specified a database (\(database.path)) that did not match the expected database "
            + "(\(expected.path))"
        )
      }
      return stream
    case .waiting:
      let stream = hub.open(
        database,
        sink: ResponseSink(responses),
        authority: authority,
        account: authority.account
      )
      state.withLock { $0 = .open(database, stream) }
      return stream
    }
  }
}

extension TargetRequest {
  /// A target in the hub's terms.
  init(_ target: ListenTarget) {
    let subject: Subject =
      switch target.kind {
      case .query(_, let query): .query(query)
      case .documents(let names): .documents(names.map(\.path))
      }
    let resumption: Resumption? =
      switch target.resumption {
      case nil: nil
      case .token(let bytes): bytes.isEmpty ? nil : .token(bytes)
      case .readTime(let time): .readTime(CommitVersion(microseconds: time.microseconds))
      }
    self.init(
      id: target.targetID,
      subject: subject,
      once: target.once,
      resumption: resumption,
      expectedCount: target.expectedCount
    )
  }
}
