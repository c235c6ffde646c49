import BaseText
import Testing

@testable import StorageWire

/// Bodies in the chunks of S3, against the examples of its documentation.
@Suite struct ChunkedPayloadTests {
  private static let secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
  private static let content = [UInt8](repeating: UInt8(ascii: "a"), count: 66_560)

  /// A checker of the chunks of the documentation's request, whose signature is the first of a chain.
  private static func signer(_ signature: String, secret: String? = secret) throws -> ChunkSigner {
    let request = SignableRequest(
      method: "PUT",
      path: "/examplebucket/chunkObject.txt",
      parameters: [],
      headers: [
        "authorization": "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/"
          + "aws4_request,SignedHeaders=host,Signature=\(signature)",
        "x-amz-date": "20130524T000000Z",
      ]
    )
    return ChunkSigner(try #require(try RequestSignature(request)), secret: secret)
  }

  private static let seeds = (
    plain: "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9",
    trailing: "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e"
  )

  private static func body(_ signatures: [String], _ end: String) -> [UInt8] {
    Array("10000;chunk-signature=\(signatures[0])\r\n".utf8) + content.prefix(65_536)
      + Array("\r\n400;chunk-signature=\(signatures[1])\r\n".utf8) + content.suffix(1_024)
      + Array("\r\n0;chunk-signature=\(signatures[2])\r\n\(end)".utf8)
  }

  private static let signed = body(
    [
      "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648",
      "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497",
      "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9",
    ],
    "\r\n"
  )

  private static func trailing(_ end: String) -> [UInt8] {
    body(
      [
        "b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2",
        "1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7",
        "2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992",
      ],
      end
    )
  }

  private static let signedTrailers =
    "x-amz-checksum-crc32c:sOO8/Q==\r\n"
    + "x-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n\r\n"

  /// Returns the content that a reader takes from a body that comes in pieces.
  private static func read(
    _ body: [UInt8],
    _ signer: ChunkSigner?,
    takesTrailers: Bool = false,
    piece: Int = 1_000
  ) throws(ChunkedPayload.Problem) -> (content: [UInt8], trailers: [ChunkedPayload.Trailer]) {
    var reader = ChunkedPayload(signer: signer, takesTrailers: takesTrailers)
    var content: [UInt8] = []
    var rest = body[...]
    while !rest.isEmpty {
      content += try reader.read(Array(rest.prefix(piece)))
      rest = rest.dropFirst(piece)
    }
    return (content, try reader.finish())
  }

  @Test(arguments: [1_000, 65_536, .max])
  func `signed chunks of the documentation are read, in whatever pieces they come`(
    piece: Int
  ) throws {
    let found = try Self.read(Self.signed, try Self.signer(Self.seeds.plain), piece: piece)
    #expect(found.content == Self.content && found.trailers.isEmpty)
  }

  @Test func `signed trailers of the documentation are read`() throws {
    let signer = try Self.signer(Self.seeds.trailing)
    let body = Self.trailing(Self.signedTrailers)
    let found = try Self.read(body, signer, takesTrailers: true)
    #expect(found.content == Self.content)
    #expect(found.trailers == [.init(name: "x-amz-checksum-crc32c", value: "sOO8/Q==")])
    var checksum = ContentChecksum(.crc32c)
    checksum.update(found.content)
    #expect(Base64.standard(checksum.bytes) == "sOO8/Q==")
  }

  @Test func `a chunk that is changed, left out or of another request is refused`() throws {
    let signer = try Self.signer(Self.seeds.plain)
    var changed = Self.signed
    changed[1_000] = UInt8(ascii: "b")
    #expect(throws: ChunkedPayload.Problem.mismatch) { try Self.read(changed, signer) }
    let second = try #require(Self.signed.firstRange(of: Array("400;".utf8)))
    let without = Array(Self.signed[second.lowerBound...])
    #expect(throws: ChunkedPayload.Problem.mismatch) { try Self.read(without, signer) }
    #expect(throws: ChunkedPayload.Problem.mismatch) {
      try Self.read(Self.signed, try Self.signer(Self.seeds.trailing))
    }
    #expect(throws: ChunkedPayload.Problem.mismatch) {
      try Self.read(Self.signed, try Self.signer(Self.seeds.plain, secret: "other"))
    }
  }

  @Test func `without the secret a signature is only read`() throws {
    let signer = try Self.signer(Self.seeds.trailing, secret: nil)
    #expect(try Self.read(Self.signed, signer).content == Self.content)
    let short = Self.signed.filter { $0 != UInt8(ascii: "5") }
    #expect(throws: ChunkedPayload.Problem.self) { try Self.read(short, signer) }
  }

  @Test(arguments: [
    ("x-amz-checksum-crc32c:AAAA/Q==\r\n", ChunkedPayload.Problem.mismatch), ("", .mismatch),
  ])
  func `trailers that are changed or left out are refused`(
    first: String,
    problem: ChunkedPayload.Problem
  ) throws {
    let signature = Self.signedTrailers.dropFirst("x-amz-checksum-crc32c:sOO8/Q==\r\n".count)
    let body = Self.trailing(first + signature)
    let signer = try Self.signer(Self.seeds.trailing)
    #expect(throws: problem) { try Self.read(body, signer, takesTrailers: true) }
    let unsigned = Self.trailing("x-amz-checksum-crc32c:sOO8/Q==\r\n\r\n")
    #expect(throws: ChunkedPayload.Problem.malformedTrailer) {
      try Self.read(unsigned, signer, takesTrailers: true)
    }
  }

  @Test(arguments: [
    "5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n",
    "5\r\nhello\r\n0\r\nX-Amz-Checksum-CRC32: NhCmhg==\n\r\n\r\n",
    "2\r\nhe\r\n3\r\nllo\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n",
  ])
  func `chunks without signatures are read`(body: String) throws {
    for piece in 1...7 {
      let found = try Self.read(Array(body.utf8), nil, takesTrailers: true, piece: piece)
      #expect(found.content == Array("hello".utf8))
      #expect(found.trailers == [.init(name: "x-amz-checksum-crc32", value: "NhCmhg==")])
    }
  }

  @Test(
    arguments: [
      ("", .truncated), ("5\r\nhell", .truncated), ("5\r\nhello\r\n", .truncated),
      ("5\r\nhello0\r\n\r\n", .malformed), ("5\nhello\r\n0\r\n\r\n", .malformed),
      ("x\r\n", .malformed), ("\r\n", .malformed), ("-1\r\n", .malformed),
      ("5;chunk-signature=00\r\nhello\r\n0\r\n\r\n", .malformed),
      ("fffffffffffffffff\r\n", .malformed),
      (String(repeating: "0", count: 2_000), .malformed),
      ("0\r\nx-amz-checksum-crc32\r\n\r\n", .malformedTrailer),
      ("0\r\n\r\na:b\r\n", .malformedTrailer), ("0\r\n:b\r\n", .malformedTrailer),
    ] as [(String, ChunkedPayload.Problem)]
  )
  func `bodies that are no chunks are refused`(
    body: String,
    problem: ChunkedPayload.Problem
  ) {
    #expect(throws: problem) { try Self.read(Array(body.utf8), nil, takesTrailers: true) }
  }

  @Test func `trailers that were not announced are refused`() {
    #expect(throws: ChunkedPayload.Problem.malformedTrailer) {
      try Self.read(Array("0\r\na:b\r\n\r\n".utf8), nil)
    }
  }

  @Test(
    arguments: [
      (.crc32, "cbf43926"), (.crc32c, "e3069283"), (.crc64nvme, "ae8b14860a799888"),
      (.sha1, "f7c3bc1d808e04732adf679965ccc34ca7ae3441"),
      (.sha256, "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225"),
    ] as [(ChecksumAlgorithm, String)]
  )
  func `checksums are those of everybody else`(algorithm: ChecksumAlgorithm, expected: String) {
    var whole = ContentChecksum(algorithm)
    whole.update(Array("123456789".utf8))
    #expect(Hexadecimal.text(whole.bytes) == expected)
    #expect(whole.bytes.count == algorithm.byteCount)
    var pieces = ContentChecksum(algorithm)
    for piece in ["", "1", "2345678", "9"] { pieces.update(Array(piece.utf8)) }
    #expect(pieces.bytes == whole.bytes)
    #expect(ChecksumAlgorithm(header: algorithm.header) == algorithm)
  }
}
