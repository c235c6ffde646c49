import BaseText
import Crypto

/// Reads a body in the chunks of S3 (`aws-chunked`) as it arrives.
///
/// A chunk is a line with its size in hexadecimal digits, so many bytes, and CR LF. A chunk without
/// bytes is the last one; behind its line may come trailers, lines of `name:value`, up to an empty
/// line or the end of the body. If chunks are signed, a chunk's line continues with
/// `;chunk-signature=` and 64 digits, and the last trailer is `x-amz-trailer-signature`.
///
/// A chunk's signature is over its bytes and the signature before it, the first one over the request's. So no chunk can be
/// changed, left out or put elsewhere. Bytes are passed on before their chunk's signature is known: the content counts once
/// `finish` has returned.
///
/// A state machine without I/O. At most one line is held back, and it is bounded.
package struct ChunkedPayload: Sendable {
  /// A reason to refuse a body.
  package enum Problem: Error, Sendable, Equatable {
    /// The lines are not those of chunks.
    case malformed
    case malformedTrailer
    /// The body ended amid a chunk or before the last one.
    case truncated
    /// A signature is not the chunk's or the trailers'.
    case mismatch
  }

  /// A line behind the last chunk; the name is in lower case.
  package struct Trailer: Sendable, Equatable {
    /// In lower case.
    package let name: String
    /// Without the spaces before it.
    package let value: String
  }

  private enum State: Sendable {
    /// At a chunk's line.
    case head
    /// Amid a chunk's bytes, of which so many are to come.
    case content(left: Int64)
    /// At the end of the line behind a chunk's bytes.
    case contentEnd
    /// Behind the last chunk's line.
    case trailers
  }

  private static let longestLine = 1_024
  private static let longestTrailers = 16 << 10
  private static let signatureTrailer = "x-amz-trailer-signature"

  private var signer: ChunkSigner?
  private let takesTrailers: Bool
  private var state = State.head
  private var buffer: [UInt8] = []
  /// The hash of the chunk whose bytes come; nil where chunks are not signed.
  private var hash: SHA256?
  private var chunkSignature = ""

  /// A reader of a body.
  ///
  /// - Parameters:
  ///   - signer: Checks the chunks' signatures; nil where they have none.
  ///   - takesTrailers: True if lines may follow the last chunk.
  package init(signer: ChunkSigner?, takesTrailers: Bool) {
    self.signer = signer
    self.takesTrailers = takesTrailers
  }

  /// Takes the next bytes of the body; returns the content among them.
  package mutating func read(_ bytes: [UInt8]) throws(Problem) -> [UInt8] {
    var rest = bytes[...]
    var content: [UInt8] = []
    while !rest.isEmpty {
      switch state {
      case .content(let left): takeContent(&rest, left, &content)
      case .head:
        if let line = try takeLine(&rest) { try readHead(line) }
      case .contentEnd:
        guard let line = try takeLine(&rest) else { break }
        guard line.isEmpty else { throw .malformed }
        state = .head
      case .trailers:
        buffer += rest
        rest = []
        guard buffer.count <= Self.longestTrailers else { throw .malformedTrailer }
      }
    }
    return content
  }

  /// Says that the body has ended; returns the trailers, without their signature.
  package func finish() throws(Problem) -> [Trailer] {
    guard case .trailers = state else { throw .truncated }
    let trailers = try readTrailers()
    guard takesTrailers else {
      guard trailers.isEmpty else { throw .malformedTrailer }
      return []
    }
    let said = trailers.filter { $0.name != Self.signatureTrailer }
    guard var signer else { return said }
    let lines = said.map { "\($0.name):\($0.value)\n" }.joined()
    let signatures = trailers.filter { $0.name == Self.signatureTrailer }
    guard signatures.count == 1, trailers.last == signatures[0] else { throw .malformedTrailer }
    guard signer.isSignature(signatures[0].value, ofTrailers: lines) else { throw .mismatch }
    return said
  }

  private mutating func takeContent(
    _ rest: inout ArraySlice<UInt8>,
    _ left: Int64,
    _ content: inout [UInt8]
  ) {
    let part = rest.prefix(Int(min(left, Int64(rest.count))))
    content += part
    hash?.update(data: part)
    rest = rest.dropFirst(part.count)
    let remaining = left - Int64(part.count)
    state = .content(left: remaining)
    guard remaining == 0 else { return }
    state = .contentEnd
  }

  /// A line that is over, without its end; nil where more bytes are needed.
  private mutating func takeLine(_ rest: inout ArraySlice<UInt8>) throws(Problem) -> [UInt8]? {
    let end = rest.firstIndex(of: UInt8(ascii: "\n"))
    buffer += rest[..<(end ?? rest.endIndex)]
    rest = end.map { rest[($0 + 1)...] } ?? []
    guard buffer.count <= Self.longestLine else { throw .malformed }
    guard end != nil else { return nil }
    guard buffer.popLast() == UInt8(ascii: "\r") else { throw .malformed }
    defer { buffer = [] }
    return buffer
  }

  /// Reads `size` or `size;chunk-signature=digits`; the chunk before it is complete.
  private mutating func readHead(_ line: [UInt8]) throws(Problem) {
    try checkChunk()
    let parts = line.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
    let size = try Self.size(parts[0])
    if signer != nil {
      let name = Array("chunk-signature=".utf8)
      guard parts.count == 2, parts[1].starts(with: name) else { throw .malformed }
      chunkSignature = String(decoding: parts[1].dropFirst(name.count), as: UTF8.self)
      hash = SHA256()
    } else {
      guard parts.count == 1 else { throw .malformed }
    }
    state = .content(left: size)
    guard size == 0 else { return }
    try checkChunk()
    state = .trailers
  }

  /// Checks the signature of the chunk whose bytes have come.
  private mutating func checkChunk() throws(Problem) {
    guard let whole = hash else { return }
    hash = nil
    guard signer?.isSignature(chunkSignature, ofChunk: whole) == true else { throw .mismatch }
  }

  private static func size(_ digits: ArraySlice<UInt8>) throws(Problem) -> Int64 {
    guard 1...15 ~= digits.count else { throw .malformed }
    var size: Int64 = 0
    for unit in digits {
      guard let digit = Hexadecimal.digit(unit) else { throw .malformed }
      size = size << 4 | Int64(digit)
    }
    return size
  }

  /// The lines up to an empty one, behind which nothing may follow; some clients end them with LF alone.
  private func readTrailers() throws(Problem) -> [Trailer] {
    var trailers: [Trailer] = []
    var isOver = false
    for line in buffer.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      let text = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      guard !text.isEmpty else {
        isOver = true
        continue
      }
      guard !isOver, trailers.count < 16, let text = String(validating: text, as: UTF8.self),
        let colon = text.firstIndex(of: ":"), colon != text.startIndex
      else { throw .malformedTrailer }
      let value = text[text.index(after: colon)...].drop { $0 == " " }
      trailers.append(Trailer(name: text[..<colon].lowercased(), value: String(value)))
    }
    return trailers
  }
}

/// Checks the signatures of a body's chunks, each of which is over the one before.
package struct ChunkSigner: Sendable {
  private let secret: String?
  private let dialect: SignatureDialect
  private let time: BasicTime
  private let scope: CredentialScope
  private var previous: String

  /// Begins with the signature of the request.
  ///
  /// - Parameter secret: Made the request's signature; nil where that was taken unverified, as all of its chunks are then.
  package init(_ signature: RequestSignature, secret: String?) {
    self.secret = secret
    dialect = signature.dialect
    time = signature.time
    scope = signature.scope
    previous = Hexadecimal.text(signature.signature)
  }

  /// Returns true if a text is the signature of a chunk with that hash; the next one is over it.
  mutating func isSignature(_ text: String, ofChunk hash: SHA256) -> Bool {
    let nothing = Hexadecimal.text(SHA256.hash(data: [UInt8]()))
    return isSignature(text, "PAYLOAD", [nothing, Hexadecimal.text(hash.finalize())])
  }

  /// Returns true if a text is the signature of trailers, each a line.
  mutating func isSignature(_ text: String, ofTrailers lines: String) -> Bool {
    isSignature(text, "TRAILER", [Hexadecimal.text(SHA256.hash(data: Array(lines.utf8)))])
  }

  private mutating func isSignature(_ text: String, _ kind: String, _ hashes: [String]) -> Bool {
    let given = RequestSignature.bytes(hexadecimal: text) ?? []
    guard let secret else { return given.count == SHA256.byteCount }
    let lines = ["\(dialect.hmacAlgorithm)-\(kind)", time.text, scope.text, previous] + hashes
    let expected = DerivedKey.signature(
      of: lines.joined(separator: "\n"),
      secret: secret,
      scope: scope,
      dialect
    )
    guard SignatureVerifier.areEqual(expected, given) else { return false }
    previous = Hexadecimal.text(expected)
    return true
  }
}
