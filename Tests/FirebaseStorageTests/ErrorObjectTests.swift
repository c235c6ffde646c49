import FirebaseStorage
import Foundation
import Testing

/// Errors of files as objects and as values.
@Suite
struct ErrorObjectTests {
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

  @Test func `a refused operation throws what Google's throws`() async throws {
    let fixture = try await StorageFixture()
    let missing = fixture.storage.reference(withPath: "open/missing")
    let error = try await Self.thrown { try await missing.delete() }
    #expect(type(of: error) is NSError.Type)
    let object = error as NSError
    #expect(object.code == StorageErrorCode.objectNotFound.rawValue)
    #expect(object.userInfo["ResponseErrorCode"] as? Int == 404)
    let status = try #require(object.userInfo[NSUnderlyingErrorKey] as? NSError)
    #expect(status.code == 404 && status.domain == "com.google.HTTPStatus")
    #expect(error as? StorageErrorCode == .objectNotFound)

    let secret = fixture.storage.reference(withPath: "private/secret.txt")
    let refused = try await Self.thrown { _ = try await secret.putDataAsync(Data("x".utf8)) }
    guard case .unauthorized(let bucket, let name, _)? = refused as? StorageError else {
      throw refused
    }
    #expect(bucket == fixture.bucket && name == "private/secret.txt")
    #expect(
      (refused as NSError).localizedDescription
        == "User does not have permission to access gs://\(fixture.bucket)/private/secret.txt."
    )
    do { throw refused } catch StorageError.unauthorized {}
    try await fixture.remove()
  }

  @Test func `a task's snapshot has an object`() async throws {
    let fixture = try await StorageFixture()
    let task = fixture.storage.reference(withPath: "open/missing").write(
      toFile: fixture.directory.appendingPathComponent("missing")
    )
    let (errors, failed) = AsyncStream.makeStream(of: (any Error)?.self)
    task.observe(.failure) { failed.yield($0.error) }
    let error = await errors.first { _ in true }
    #expect((error as? NSError)?.domain == StorageErrorDomain)
    #expect((task.snapshot.error as? NSError)?.code == StorageErrorCode.objectNotFound.rawValue)
    try await fixture.remove()
  }

  @Test func `checks throw objects`() async throws {
    let fixture = try await StorageFixture()
    let root = fixture.storage.reference()
    let url = try #require(URL(string: "gs://other/x"))
    let cases: [(StorageErrorCode, () async throws -> Void)] = [
      (.invalidArgument, { try await root.delete() }),
      (.invalidArgument, { _ = try await root.list(maxResults: 0) }),
      (.bucketMismatch, { _ = try fixture.storage.reference(for: url) }),
    ]
    for (code, call) in cases {
      let error = try await Self.thrown(call)
      #expect(type(of: error) is NSError.Type)
      #expect(error as? StorageErrorCode == code && (error as? StorageError)?.code == code)
    }
    try await fixture.remove()
  }

  @Test(arguments: StorageErrorCode.allCases)
  func `an app's own object of a code is cast to the value of that code`(code: StorageErrorCode) {
    let object: any Error = NSError(
      domain: StorageErrorDomain,
      code: code.rawValue,
      userInfo: ["bucket": "b", "object": "o", "ResponseErrorCode": 400]
    )
    #expect((object as? StorageError)?.code == code)
    if case .unauthorized(let bucket, let name, let server)? = object as? StorageError {
      #expect(bucket == "b" && name == "o" && server["ResponseErrorCode"] as? Int == 400)
    }
  }
}
