import BaseRuntime
import BaseStatus
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import ServiceModule

/// A request's body whose bytes go on the request's lease as they are read.
///
/// Reading fails with RESOURCE_EXHAUSTED where there is no room for them, and with INVALID_ARGUMENT where HTTP's decoder does not
/// understand what comes.
struct MeteredBody: AsyncSequence, Sendable {
  typealias Element = ByteBuffer

  let base: RequestBody
  let lease: RequestLease
  /// Called before the first part is awaited.
  var whenWanted: (@Sendable () -> Void)?

  struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var base: RequestBody.AsyncIterator
    fileprivate let lease: RequestLease
    fileprivate var whenWanted: (@Sendable () -> Void)?

    mutating func next() async throws -> ByteBuffer? {
      whenWanted?()
      whenWanted = nil
      guard let part = try await nextPart() else { return nil }
      guard lease.extend(by: part.readableBytes) else { throw ByteLedger.exhausted }
      return part
    }

    private mutating func nextPart() async throws -> ByteBuffer? {
      do {
        return try await base.next()
      } catch let error as HTTPParserError {
        throw ServiceError(
          .invalidArgument,
          "The request's body is not well-formed HTTP.",
          cause: error
        )
      }
    }
  }

  func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: base.makeAsyncIterator(), lease: lease, whenWanted: whenWanted)
  }
}

/// A request's body whose bytes leave the request's lease when the handler takes the next part.
struct PassingBody: AsyncSequence, Sendable {
  typealias Element = [UInt8]
  typealias Failure = any Error

  let base: RequestBody
  let lease: RequestLease

  struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var base: RequestBody.AsyncIterator
    fileprivate let lease: RequestLease
    /// Bytes of the part that the handler has.
    fileprivate var passed = 0

    mutating func next() async throws -> [UInt8]? {
      lease.reduce(by: passed)
      passed = 0
      guard let part = try await base.next() else { return nil }
      passed = part.readableBytes
      return Array(buffer: part)
    }
  }

  func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: base.makeAsyncIterator(), lease: lease)
  }
}

extension ResponseBody {
  /// The same body, whose parts count until the channel has taken them.
  ///
  /// - Parameter files: Sends parts of open files on the same connection; those take no memory of the process.
  func metered(
    _ account: LedgerAccount,
    files: (any ServiceFileWriter)? = nil
  ) -> ResponseBody {
    ResponseBody(contentLength: contentLength) { writer in
      try await self.write(MeteredWriter(base: writer, account: account, files: files))
    }
  }
}

/// A writer of a response's body that may send parts of open files too.
protocol FileResponseBodyWriter: ResponseBodyWriter {
  /// Nil where bytes alone can be sent.
  var files: (any ServiceFileWriter)? { get }
}

/// Writes parts of a response that count while they wait.
private struct MeteredWriter: FileResponseBodyWriter {
  var base: any ResponseBodyWriter
  let account: LedgerAccount
  let files: (any ServiceFileWriter)?

  mutating func write(_ buffer: ByteBuffer) async throws {
    let bytes = buffer.readableBytes
    guard account.reserve(bytes, for: .response) else { throw ByteLedger.exhausted }
    defer { account.release(bytes, for: .response) }
    try await base.write(buffer)
  }

  consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
    try await base.finish(trailingHeaders)
  }
}

extension HTTPRequest {
  /// About what the head takes in memory, counted as HPACK counts it.
  var approximateBytes: Int {
    headerFields.reduce(path?.utf8.count ?? 0) { bytes, field in
      bytes + field.name.rawName.utf8.count + field.value.utf8.count + 32
    }
  }
}
