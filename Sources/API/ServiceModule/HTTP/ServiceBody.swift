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

  package typealias Element = [UInt8]
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

  package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: Self.iterator(parts)) }

  private static func iterator(
    _ parts: some AsyncSequence<[UInt8], any Error>
  ) -> any AsyncIteratorProtocol<[UInt8], any Error> {
    parts.makeAsyncIterator()
  }

  package struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var base: any AsyncIteratorProtocol<[UInt8], any Error>

    package mutating func next() async throws -> [UInt8]? { try await base.next() }

    package mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws -> [UInt8]? {
      try await base.next(isolation: actor)
    }
  }
}
