/// The body of a request as it arrives, or collected up to a bound.
///
/// The client gets to send on as the parts are taken, so a handler that reads slowly makes its client
/// slow and not the server large. It can be read once.
package struct ServiceBody: AsyncSequence, Sendable {
  /// More came than the handler takes.
  package struct TooLarge: Error {
    /// An error without further detail.
    package init() {}
  }

  /// A part of the body, in the size in which it arrived.
  package typealias Element = [UInt8]
  /// Any error of the connection, such as a client that went away.
  package typealias Failure = any Error

  private let parts: any AsyncSequence<[UInt8], any Error> & Sendable

  /// A body that arrives in those parts.
  package init(_ parts: any AsyncSequence<[UInt8], any Error> & Sendable) { self.parts = parts }

  /// The whole body; throws `TooLarge` where it is longer than that many bytes.
  package func collect(upTo limit: Int) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    for try await part in self {
      guard bytes.count + part.count <= limit else { throw TooLarge() }
      if bytes.isEmpty { bytes = part } else { bytes += part }
    }
    return bytes
  }

  /// Starts to read the body, which can be done once.
  package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: Self.iterator(parts)) }

  private static func iterator(
    _ parts: some AsyncSequence<[UInt8], any Error>
  ) -> any AsyncIteratorProtocol<[UInt8], any Error> {
    parts.makeAsyncIterator()
  }

  /// Reads the body part by part; each call lets the client send more.
  package struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var base: any AsyncIteratorProtocol<[UInt8], any Error>

    /// The next part; nil at the end of the body.
    package mutating func next() async throws -> [UInt8]? { try await base.next() }

    /// The next part, read on the caller's actor; nil at the end of the body.
    package mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws -> [UInt8]? {
      try await base.next(isolation: actor)
    }
  }
}
