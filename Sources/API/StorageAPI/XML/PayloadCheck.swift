import Crypto
import FirestoreModel
import StorageWire

extension XMLRequest {
  /// The body as text; throws where it is not the one whose hash was signed.
  func signedText(upTo limit: Int) async throws -> [UInt8] {
    var check = try PayloadCheck(self)
    let text = try await base.collectText(upTo: limit)
    check.update(text)
    try check.finish()
    return text
  }
}

/// Whether a body is the one whose hash was signed.
struct PayloadCheck {
  private let expected: String?
  private var hash = SHA256()

  /// Throws for a way to sign bodies that nothing here reads.
  init(_ request: XMLRequest) throws {
    let declared =
      request.header("x-goog-content-sha256") ?? request.header("x-amz-content-sha256")
    expected = declared == CanonicalRequest.unsignedPayload ? nil : declared
    guard expected?.utf8.count ?? 64 == 64 else { throw XMLFailure.notImplemented }
  }

  mutating func update(_ bytes: [UInt8]) {
    if expected != nil { hash.update(data: bytes) }
  }

  /// Throws where the body is another.
  func finish() throws {
    guard let expected else { return }
    guard Hexadecimal.text(hash.finalize()) == expected.lowercased() else {
      throw XMLFailure(
        400,
        "BadDigest",
        "The provided x-goog-content-sha256 header does not match what was computed."
      )
    }
  }
}
