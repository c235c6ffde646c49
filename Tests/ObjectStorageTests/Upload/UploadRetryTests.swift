import Testing

@testable import ObjectStorage

@Suite struct UploadRetryTests {
  /// A last request whose parts the test gives one by one; `asked` has an element for each that the session took.
  private static func lastRequest(
    of session: UploadSession
  ) -> (
    Task<UploadStatus, any Error>, AsyncThrowingStream<[UInt8], any Error>.Continuation,
    AsyncStream<Void>
  ) {
    let (parts, feed) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
    let (asked, ask) = AsyncStream<Void>.makeStream()
    let request = Task {
      try await session.receive(
        at: 0,
        isLast: true,
        parts.map { part in
          ask.yield()
          return part
        }
      )
    }
    return (request, feed, asked)
  }

  @Test func `a last request that comes twice makes one object`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    let session = try await bucket.beginSession(
      NewObject(try ObjectName("a")),
      initiator: [7]
    )
    let content = pattern(900)
    _ = try await session.receive(at: 0, isLast: true, Parts(bytes: content))
    // The client lost the response, asks and sends again, while the first request goes on to make the object.
    #expect(try await session.status(bucket) == .active(received: 900))
    let (second, feed, asked) = Self.lastRequest(of: session)
    feed.yield(Array(content[..<300]))
    for await _ in asked { break }
    let object = try await session.finish(bucket)
    feed.yield(Array(content[300...]))
    feed.finish()
    _ = try await second.value
    #expect(try await session.finish(bucket) == object)
    _ = try await session.receive(at: 300, isLast: true, Parts(bytes: Array(content[300...])))
    #expect(try await session.finish(bucket) == object)
    #expect(try await bucket.bytes(of: object) == content)
    try fixture.close()
  }

  @Test func `bytes behind a finished upload's end are refused`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    let session = try await bucket.beginSession(
      NewObject(try ObjectName("a")),
      initiator: [7]
    )
    _ = try await session.receive(at: 0, isLast: true, Parts(bytes: pattern(900)))
    let (second, feed, asked) = Self.lastRequest(of: session)
    feed.yield(pattern(900))
    for await _ in asked { break }
    let object = try await session.finish(bucket)
    feed.yield([1])
    feed.finish()
    #expect(await code { _ = try await second.value } == .notFound)
    #expect(object.size == 900)
    try fixture.close()
  }
}
