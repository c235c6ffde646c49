import FirebaseFirestore
import Foundation
import SDKTestSupport
import Synchronization
import Testing

/// Tests of the calls that transactions refuse, and of their retries, against the program.
@Suite(.timeLimit(.minutes(10)))
struct TransactionTests {
  private let fixture: LiveFixture

  init() throws { fixture = try LiveFixture() }

  /// Returns the number of times that a block ran, and the outcome of its transaction.
  private static func run(
    _ firestore: Firestore,
    attempts: Int? = nil,
    _ block: @escaping @Sendable (Transaction) throws -> Void
  ) async -> (count: Int, error: NSError?) {
    let count = Mutex(0)
    let options = TransactionOptions()
    if let attempts { options.maxAttempts = attempts }
    let error = await withCheckedContinuation {
      (continuation: CheckedContinuation<NSError?, Never>) in
      firestore.runTransaction(
        with: options,
        block: { transaction, failure in
          count.withLock { $0 += 1 }
          do { try block(transaction) } catch { failure?.pointee = error as NSError }
          return nil
        },
        completion: { _, error in continuation.resume(returning: error.map { $0 as NSError }) }
      )
    }
    return (count.withLock { $0 }, error)
  }

  @Test func `all reads come before all writes`() async {
    let document = fixture.firestore.document("a/b")
    let (count, error) = await Self.run(fixture.firestore) { transaction in
      transaction.setData(["x": 1], forDocument: document)
      _ = try transaction.getDocument(document)
    }
    #expect(count == 1 && error?.code == FirestoreErrorCode.invalidArgument.rawValue)
    #expect(
      error?.localizedDescription
        == "Firestore transactions require all reads to be executed before all writes"
    )
  }

  @Test func `a document that was read as missing is not updated`() async throws {
    let document = fixture.firestore.document("a/b")
    let (count, error) = await Self.run(fixture.firestore) { transaction in
      _ = try transaction.getDocument(document)
      transaction.updateData(["x": 1], forDocument: document)
    }
    #expect(count == 1 && error?.code == FirestoreErrorCode.invalidArgument.rawValue)
    #expect(error?.localizedDescription == "Can't update a document that doesn't exist.")
    #expect(try await document.getDocument(source: .server).exists == false)
  }

  @Test func `an error of the app ends it as it is`() async {
    let own = NSError(domain: "shop", code: 10, userInfo: ["reason": "sold out"])
    let (count, error) = await Self.run(fixture.firestore) { _ in throw own }
    #expect(count == 1 && error === own)
  }

  @Test func `conflicts are tried again so often as the options say`() async {
    let (count, error) = await Self.run(fixture.firestore, attempts: 2) { _ in
      throw FirestoreErrorCode(.aborted)
    }
    #expect(count == 2 && error?.code == FirestoreErrorCode.aborted.rawValue)
    #expect(error?.domain == FirestoreErrorDomain)
  }

  @Test func `the end of the client ends it`() async {
    let firestore = fixture.firestore
    let (count, error) = await Self.run(firestore) { _ in
      let isEnded = DispatchSemaphore(value: 0)
      firestore.terminate { _ in isEnded.signal() }
      isEnded.wait()
      throw FirestoreErrorCode(.aborted)
    }
    #expect(count == 1 && error?.code == FirestoreErrorCode.aborted.rawValue)
  }

  @Test func `calls of the server end with their client`() async {
    let firestore = fixture.firestore
    let query = firestore.collection("a")
    let error = await withCheckedContinuation { continuation in
      query.count.getAggregation(source: .server) { _, error in
        continuation.resume(returning: error.map { $0 as NSError })
      }
      firestore.terminate()
    }
    // A count that was complete before the end has its result.
    #expect(error == nil || error?.domain == FirestoreErrorDomain)
  }
}
