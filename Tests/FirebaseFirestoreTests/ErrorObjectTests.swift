import FirebaseFirestore
import Foundation
import SDKTestSupport
import Testing

/// Errors as the objects that Google's SDK throws and delivers: every form of a `catch` in its guides takes them.
@Suite(.timeLimit(.minutes(10)))
struct ErrorObjectTests {
  private let fixture: LiveFixture

  init() throws { fixture = try LiveFixture() }

  /// The kinds of `catch` and cast that apps use, each for one error.
  private static func forms(_ error: any Error, _ code: FirestoreErrorCode.Code) {
    #expect(type(of: error) is NSError.Type, "\(type(of: error))")
    // A cast of an optional is made while the program runs, on every system.
    let optional: (any Error)? = error
    #expect((optional as? NSError)?.domain == FirestoreErrorDomain)
    #expect((optional as? NSError)?.code == code.rawValue)
    #expect((error as? FirestoreErrorCode)?.code == code)
    do {
      throw error
    } catch let found as NSError {
      #expect(found.userInfo[NSLocalizedDescriptionKey] as? String == error.localizedDescription)
    }
    do { throw error } catch code {} catch { Issue.record("not caught by its code") }
  }

  private static func thrown(
    isolation: isolated (any Actor)? = #isolation,
    _ call: () async throws -> Void
  ) async throws -> any Error {
    do {
      try await call()
    } catch {
      return error
    }
    throw CancellationError()
  }

  @Test func `what asynchronous calls throw are objects`() async throws {
    let firestore = fixture.firestore
    let document = firestore.document("a/b")
    Self.forms(try await Self.thrown { try await document.updateData(["x": 1]) }, .notFound)
    Self.forms(
      try await Self.thrown { _ = try await document.getDocument(source: .cache) },
      .unavailable
    )
    Self.forms(
      try await Self.thrown { _ = try await firestore.loadBundle(Data("9{".utf8)) },
      .invalidArgument
    )
    try await firestore.disableNetwork()
    Self.forms(
      try await Self.thrown {
        _ = try await firestore.collection("a").count.getAggregation(source: .server)
      },
      .unavailable
    )
    Self.forms(
      try await Self.thrown { _ = try await document.getDocument(source: .server) },
      .unavailable
    )
  }

  @Test func `what checks throw are objects`() async throws {
    let firestore = fixture.firestore
    let calls: [() throws -> Void] = [
      { _ = try firestore.document(at: "a") }, { _ = try firestore.collection(at: "a//b") },
      { try GeoPoint.check(latitude: 91, longitude: 0) }, { try FieldPath.check([]) },
      { try TransactionOptions.check(maxAttempts: 0) },
      { try firestore.document("a/b").check(setData: ["x": NSObject()]) },
      { _ = try firestore.collection("a").checking { $0.whereField("x", in: []) } },
    ]
    for call in calls { Self.forms(try await Self.thrown(call), .invalidArgument) }
  }

  @Test func `what callbacks are handed are objects`() async throws {
    let document = fixture.firestore.document("a/b")
    let error = await withCheckedContinuation { continuation in
      document.updateData(["x": 1]) { continuation.resume(returning: $0) }
    }
    Self.forms(try #require(error), .notFound)
    let read = await withCheckedContinuation { continuation in
      document.getDocument(source: .cache) { _, error in continuation.resume(returning: error) }
    }
    Self.forms(try #require(read), .unavailable)
  }

  /// The snippet of Google's guide: its `catch` takes every error there is, by what it says.
  @Test func `a transaction whose read fails is not reported as done`() async throws {
    let firestore = fixture.firestore
    let document = firestore.document("cities/SF")
    let outcome = await withCheckedContinuation {
      (continuation: CheckedContinuation<(hasValue: Bool, error: NSError?), Never>) in
      firestore.runTransaction({ transaction, errorPointer -> Any? in
        // A read behind a write fails, as one does without a network.
        transaction.setData(["population": 1], forDocument: document)
        let snapshot: DocumentSnapshot
        do {
          try snapshot = transaction.getDocument(document)
        } catch let fetchError as NSError {
          errorPointer?.pointee = fetchError
          return nil
        }
        return snapshot.data()
      }) { object, error in
        continuation.resume(returning: (object != nil, error as NSError?))
      }
    }
    #expect(!outcome.hasValue)
    #expect(outcome.error?.domain == FirestoreErrorDomain)
    #expect(outcome.error?.code == FirestoreErrorCode.invalidArgument.rawValue)
  }

  @Test func `casts take errors of Firestore's domain alone`() {
    let other: any Error = NSError(domain: "shop", code: 7)
    #expect(other as? FirestoreErrorCode == nil)
    let own: any Error = NSError(domain: FirestoreErrorDomain, code: 7)
    #expect((own as? FirestoreErrorCode)?.code == .permissionDenied)
    let made: any Error = FirestoreErrorCode(.notFound)
    let object: (any Error)? = made
    #expect((object as? NSError)?.code == 5)
  }
}
