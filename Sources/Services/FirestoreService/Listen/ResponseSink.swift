import Access
import BaseStatus
import FirestoreWire
import Realtime

/// Encodes a stream's events and hands them to its transport.
final class ResponseSink: ListenSink {
  private let responses: any StreamResponses

  init(_ responses: any StreamResponses) { self.responses = responses }

  func send(_ events: [ListenEvent]) -> Bool { responses.send(events.map(\.message)) }

  func setReading(_ isReading: Bool) { responses.setReading(isReading) }

  func finish(_ error: ServiceError?) { responses.finish(error) }
}

extension ListenEvent {
  /// The event as the protocol has it.
  fileprivate var message: [UInt8] {
    switch self {
    case .consistent(let point): point.encoded { response.encoded() }
    case .changed(let document, let targets, let removed):
      document.encodedChange(targets, removed) { response.encoded() }
    default: response.encoded()
    }
  }

  private var response: ListenResponse {
    switch self {
    case .added(let id): .targetChange(.add, targets: [id])
    case .removed(let id, let cause): .targetChange(.remove, targets: [id], cause: cause)
    case .reset(let id): .targetChange(.reset, targets: [id])
    case .current(let id, let point):
      .targetChange(.current, targets: [id], token: point.token, readTime: point.version)
    case .progressed(let ids, let point):
      .targetChange(.noChange, targets: ids, token: point.token, readTime: point.version)
    case .consistent(let point):
      .targetChange(.noChange, targets: [], token: point.token, readTime: point.version)
    case .filter(let id, let count, let names):
      .filter(target: id, count: count, names: names.map(ListenResponse.BloomFilter.init))
    case .left(let document, let removed, let point):
      .documentRemove(document.name, removed: removed, readTime: point.version)
    case .deleted(let document, let removed, let point):
      .documentDelete(document.name, removed: removed, readTime: point.version)
    case .changed(let document, let targets, let removed):
      .documentChange(document.encodedRecord, targets: targets, removed: removed)
    }
  }
}

extension ListenResponse.BloomFilter {
  fileprivate init(_ names: Realtime.BloomFilter) {
    self.init(
      bitmap: names.bitmap,
      padding: names.padding,
      hashCount: Realtime.BloomFilter.hashCount
    )
  }
}

extension SharedDocument {
  /// The document's message, made by the first stream that sends it.
  fileprivate var encodedRecord: [UInt8] {
    encoded { record.map(ListenResponse.document) ?? [] }
  }
}
