import Access
import BaseRuntime
import BaseStatus
import Dispatch
import FirestoreWire
import Synchronization
import Testing

@testable import FirestoreService

/// Calls of one turn of an event loop, which go over to an engine thread together.
@Suite struct JobBatchTests {
  @Test func `calls that a thread runs in a row end each in its own way`() async throws {
    let fixture = try ServiceFixture(threads: 1)
    _ = try await fixture.call("POST", "/c?documentId=d", #"{"fields":{}}"#)
    let body = "{\"documents\":[\"\(ServiceFixture.documents)/c/d\"]}"
    let found = try RESTTranscoder().call(
      method: "POST",
      path: ServiceFixture.root + ":batchGet",
      query: nil,
      body: Array(body.utf8)
    )
    let ends = Self.ends(of: try #require(found).request, in: fixture)
    #expect(ends.count == 60)
    for (number, end) in ends {
      #expect(end == [nil, .cancelled, .deadlineExceeded][number % 3], "call \(number)")
    }
  }

  /// The errors of sixty calls that wait for the only thread: of three one is cancelled meanwhile, and of
  /// one the deadline passes.
  private static func ends(
    of request: [UInt8],
    in fixture: ServiceFixture
  ) -> [Int: StatusCode?] {
    let gate = DispatchSemaphore(value: 0)
    let isHeld = fixture.threads.submit { gate.wait() }
    let cancellation = Cancellation()
    let deadline = ContinuousClock.now + .milliseconds(1)
    let contexts = [
      ServiceFixture.context(), ServiceFixture.context(cancellation: cancellation),
      ServiceFixture.context(deadline: deadline),
    ]
    let ends = Mutex<[Int: StatusCode?]>([:])
    Handover.during { _ in
      for number in 0..<60 {
        fixture.service.stream(
          .batchGetDocuments,
          request: request,
          context: contexts[number % 3]
        ) { result in
          ends.withLock { $0[number] = .some(Self.code(of: result)) }
        }
      }
    }
    cancellation.cancel()
    while ContinuousClock.now < deadline {}
    gate.signal()
    // Runs what waits.
    fixture.close()
    #expect(isHeld)
    return ends.withLock { $0 }
  }

  private static func code(
    of result: Result<any ResponseStream, ServiceError>
  ) -> StatusCode? {
    if case .failure(let error) = result { error.code } else { nil }
  }
}
