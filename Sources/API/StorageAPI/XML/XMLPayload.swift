import BaseText
import Crypto
import HTTPTypes
import ServiceModule
import StorageWire

/// The body of a request: taken out of its chunks, and checked against the hash that was signed and the checksum that the
/// client sends.
///
/// The content counts once `finish` has returned.
struct XMLPayload {
  /// A checksum of the content that came, which is the client's own.
  struct Verified: Sendable {
    let algorithm: ChecksumAlgorithm
    /// In Base64.
    let text: String
  }

  /// The forms of bodies, by the value of the header `x-amz-content-sha256`.
  private enum Form {
    /// The bytes themselves; with their hash in hexadecimal digits where that was signed.
    case plain(hash: String?)
    case chunks(ChunkedPayload)
  }

  private var form: Form
  private var hash = SHA256()
  private var checksum: ContentChecksum?
  /// The checksum by the client, in Base64; nil where a trailer has it.
  private var said: String?

  /// Throws for a form of body that nothing here reads.
  ///
  /// - Parameters:
  ///   - signature: The request's, by which signed chunks are checked.
  ///   - hasChecksum: True if headers with a checksum are about the body.
  init(
    _ request: XMLRequest,
    _ signature: VerifiedSignature?,
    hasChecksum: Bool = true
  ) throws {
    form = try Self.form(request, signature)
    let announced = hasChecksum ? try Self.announced(request) : nil
    checksum = announced.map { ContentChecksum($0.algorithm) }
    said = announced?.text
  }

  /// Takes the next bytes of the body; returns the content among them.
  mutating func read(_ bytes: [UInt8]) throws -> [UInt8] {
    var content = bytes
    if case .chunks(var chunks) = form {
      // The buffer has no other owner during this, so that it is not copied.
      form = .plain(hash: nil)
      defer { form = .chunks(chunks) }
      content = try chunks.read(bytes)
    } else if case .plain(.some) = form {
      hash.update(data: bytes)
    }
    checksum?.update(content)
    return content
  }

  /// Throws where the content is another than what the client says of it.
  @discardableResult
  func finish() throws -> Verified? {
    var said = said
    switch form {
    case .plain(let expected?):
      guard Hexadecimal.text(hash.finalize()) == expected.lowercased() else {
        throw Self.badDigest("x-goog-content-sha256 header")
      }
    case .plain(nil): break
    case .chunks(let chunks):
      for trailer in try chunks.finish() {
        guard trailer.name == checksum?.algorithm.header else {
          throw ChunkedPayload.Problem.malformedTrailer
        }
        said = trailer.value
      }
    }
    guard let checksum else { return nil }
    let name = checksum.algorithm.header
    guard let said else {
      throw ChunkedPayload.Problem.malformedTrailer
    }
    guard Base64.decode(said) == checksum.bytes else { throw Self.badDigest(name) }
    return Verified(algorithm: checksum.algorithm, text: Base64.standard(checksum.bytes))
  }

  private static func badDigest(_ name: String) -> XMLFailure {
    XMLFailure(400, "BadDigest", "The provided \(name) does not match what was computed.")
  }

  // MARK: What headers say

  private static func form(_ request: XMLRequest, _ signature: VerifiedSignature?) throws -> Form {
    let declared =
      request.header("x-goog-content-sha256") ?? request.header("x-amz-content-sha256")
    guard let declared, declared != CanonicalRequest.unsignedPayload else {
      return .plain(hash: nil)
    }
    guard declared.hasPrefix(streaming) else {
      guard declared.utf8.count == 64 else { throw XMLFailure.unsupported(declared) }
      return .plain(hash: declared)
    }
    if declared == streaming + "UNSIGNED-PAYLOAD-TRAILER" {
      return .chunks(ChunkedPayload(signer: nil, takesTrailers: true))
    }
    let signed = [SignatureDialect.amazon, .google].map { streaming + $0.hmacAlgorithm }
    for name in signed where declared.hasPrefix(name + "-PAYLOAD") {
      let rest = declared.dropFirst(name.count)
      guard ["-PAYLOAD", "-PAYLOAD-TRAILER"].contains(rest) else { break }
      let signer = try Self.signer(signature)
      return .chunks(ChunkedPayload(signer: signer, takesTrailers: rest != "-PAYLOAD"))
    }
    throw XMLFailure.unsupported(declared)
  }

  /// Checks chunks that are signed as their request is, which has to be with a shared secret.
  private static func signer(_ signature: VerifiedSignature?) throws(XMLFailure) -> ChunkSigner {
    if let signature, case .version4(let signed) = signature.version {
      switch signature.key {
      case .secret(let secret, _): return ChunkSigner(signed, secret: secret)
      case .foreign: return ChunkSigner(signed, secret: nil)
      case .account: break
      }
    }
    throw .invalid("Signed chunks need a request that is signed with an HMAC key.")
  }

  private static let streaming = "STREAMING-"

  /// The checksum that a header has, or that a trailer will have.
  static func announced(
    _ request: XMLRequest
  ) throws -> (algorithm: ChecksumAlgorithm, text: String?)? {
    var found: [(algorithm: ChecksumAlgorithm, text: String?)] = []
    for field in request.base.headers {
      let name = field.name.canonicalName
      guard name.hasPrefix(ChecksumAlgorithm.headerPrefix), !settings.contains(name) else {
        continue
      }
      guard let algorithm = ChecksumAlgorithm(header: name) else {
        throw XMLFailure.unsupported(name)
      }
      found.append((algorithm, field.value))
    }
    for name in (request.header("x-amz-trailer") ?? "").split(separator: ",") {
      let name = name.filter { $0 != " " }.lowercased()
      guard let algorithm = ChecksumAlgorithm(header: name) else {
        throw XMLFailure.unsupported("x-amz-trailer: \(name.prefix(100))")
      }
      found.append((algorithm, nil))
    }
    guard found.count <= 1 else {
      throw XMLFailure(
        400,
        "InvalidRequest",
        "A request can have at most one x-amz-checksum- header."
      )
    }
    return found.first
  }

  /// Headers that say how checksums are used and are none.
  private static let settings: Set<String> = [
    "x-amz-checksum-algorithm", "x-amz-checksum-mode", "x-amz-checksum-type",
  ]
}

extension XMLRequest {
  /// The body as text, which is to be parsed; throws where it is not the one whose hash was signed.
  func signedText(
    upTo limit: Int,
    _ signature: VerifiedSignature?,
    hasChecksum: Bool = true
  ) async throws -> [UInt8] {
    var payload = try XMLPayload(self, signature, hasChecksum: hasChecksum)
    var text: [UInt8] = []
    for try await part in base.body {
      text += try payload.read(part)
      guard text.count <= limit else { throw ServiceBody.TooLarge() }
    }
    try payload.finish()
    try base.reserveParsed(text)
    if let digest = header("content-md5"), try Self.digest(digest, 16) != Self.md5(of: text) {
      throw XMLFailure(400, "BadDigest", "The Content-MD5 you specified did not match the body.")
    }
    return text
  }

  private static func md5(of bytes: [UInt8]) -> [UInt8] { Array(Insecure.MD5.hash(data: bytes)) }

  /// True for a body in chunks, whose length says nothing of the content's.
  var isChunked: Bool {
    (header("x-goog-content-sha256") ?? header("x-amz-content-sha256"))?.hasPrefix("STREAMING-")
      == true
  }

  /// The number of bytes of content that come in the chunks of a body.
  func decodedLength() throws -> Int64 {
    guard let text = header("x-amz-decoded-content-length") else {
      throw XMLFailure(
        411,
        "MissingContentLength",
        "A body in chunks needs the header x-amz-decoded-content-length."
      )
    }
    guard let length = Int64(text), length >= 0 else {
      throw XMLFailure.invalid("x-amz-decoded-content-length must be a number.")
    }
    return length
  }
}

extension ServiceResponse {
  /// Says which checksum of the content was verified.
  mutating func describe(_ checksum: XMLPayload.Verified?) {
    guard let checksum else { return }
    headers[.storage(checksum.algorithm.header)] = checksum.text
    headers[.storage("x-amz-checksum-type")] = "FULL_OBJECT"
  }
}
