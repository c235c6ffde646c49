import BaseText
import ModelTestSupport
import Testing

@testable import StorageWire

/// Whatever clients of Storage send is read or refused, and never ends the process.
@Suite struct StorageFuzzTests {
  @Test func `bodies of several parts, whole and in pieces, say the same`() throws {
    let examples = [
      "--b\r\nContent-Type: a/b\r\n\r\n{}\r\n--b\r\n\r\nx\r\n--b--\r\n", "--b--",
      "x\r\n--b \r\n\r\n\r\n--b--", "x\n--b\nA: b\n\nx\r\n--b\n\n\n--b--\n",
      "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n-\r\n--\r\n--b\r\n--b-\r\n--b--",
    ]
    var fuzzer = Fuzzer(
      "multipart",
      slowCount: 2_000_000,
      examples: examples.map { Array($0.utf8) }
    )
    try fuzzer.run { input in
      let whole = Self.summary(of: input, chunk: .max)
      let size = max(1, input.count % 5)
      #expect(whole == Self.summary(of: input, chunk: size))
    }
  }

  /// Returns the parts that were read, content joined; a refusal is its last line.
  private static func summary(of input: [UInt8], chunk: Int) -> [String] {
    var lines: [String] = []
    do {
      var reader = try MultipartReader(boundary: "b")
      var rest = input[...]
      repeat {
        for event in try reader.read(rest.prefix(chunk)) {
          if case .content(let bytes) = event, let last = lines.last, last.hasPrefix("content") {
            lines[lines.count - 1] = last + Hexadecimal.text(bytes)
          } else if case .content(let bytes) = event {
            lines.append("content " + Hexadecimal.text(bytes))
          } else {
            lines.append("\(event)")
          }
        }
        rest = rest.dropFirst(chunk)
      } while !rest.isEmpty
      try reader.finish()
    } catch {
      // A piece may tell earlier what is wrong with the whole, and not what came before it.
      return ["refused"]
    }
    return lines
  }

  @Test func `chunked bodies, whole and in pieces, say the same`() throws {
    let examples = [
      "5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n", "1\r\na\r\n0\r\n\r\n",
      "a;chunk-signature=00\r\n0123456789\r\n0;chunk-signature=00\r\n\r\n", "0\r\na:b\nc:d\r\n",
    ]
    var fuzzer = Fuzzer("chunks", slowCount: 2_000_000, examples: examples.map { Array($0.utf8) })
    try fuzzer.run { input in
      let whole = Self.chunks(of: input, piece: .max)
      #expect(whole == Self.chunks(of: input, piece: max(1, input.count % 5)))
    }
  }

  /// The content and the trailers of a chunked body; nil where it is refused.
  private static func chunks(of input: [UInt8], piece: Int) -> [String]? {
    var reader = ChunkedPayload(signer: nil, takesTrailers: true)
    var content: [UInt8] = []
    var rest = input[...]
    do {
      while !rest.isEmpty {
        content += try reader.read(Array(rest.prefix(piece)))
        rest = rest.dropFirst(piece)
      }
      let trailers = try reader.finish()
      return [Hexadecimal.text(content)] + trailers.map { "\($0.name): \($0.value)" }
    } catch {
      return nil
    }
  }

  @Test func `media types`() throws {
    let examples = [
      #"multipart/related; boundary="a\"b"; x=y"#, "a", "form-data; name=a; filename=\"\"",
    ]
    var fuzzer = Fuzzer(
      "media-type",
      slowCount: 3_000_000,
      examples: examples.map { Array($0.utf8) }
    )
    try fuzzer.run { input in _ = MediaType(String(decoding: input, as: UTF8.self)) }
  }

  @Test func `documents of XML`() throws {
    let examples = [
      "<?xml version='1.0'?><C><Part><PartNumber>1</PartNumber><ETag>&quot;a&quot;</ETag></Part></C>",
      "<a><![CDATA[x]]><!-- y --></a>", "<a b='c'/>",
    ]
    var fuzzer = Fuzzer("xml", slowCount: 1_000_000, examples: examples.map { Array($0.utf8) })
    try fuzzer.run { input in
      guard let element = try? XMLReader.read(input) else { return }
      #expect((try? XMLReader.read(Array(element.document().utf8))) == element.readable)
    }
  }

  @Test func `signed requests and policies`() throws {
    let examples =
      SignatureTests.urls.map(\.query) + [
        #"{"expiration":"2026-01-31T12:10:00Z","conditions":[["eq","$key","a"],{"a":"b"}]}"#,
        "Expires=1769864400&GoogleAccessId=robot@shop.iam.brasa&Signature=AAAA&uploadId=1&b",
      ]
    var fuzzer = Fuzzer("signature", slowCount: 500_000, examples: examples.map { Array($0.utf8) })
    try fuzzer.run { input in
      let text = String(decoding: input, as: UTF8.self)
      var request = SignableRequest(
        method: "GET",
        path: "/a",
        parameters: [],
        headers: ["host": "h"]
      )
      request.parameters = text.split(separator: "&").map { part in
        let halves = part.split(separator: "=", maxSplits: 1)
        return (name: String(halves.first ?? ""), value: halves.count > 1 ? String(halves[1]) : "")
      }
      if let signature = try? RequestSignature(request) {
        #expect(throws: SignatureProblem.self) {
          try SignatureTests.digesting.verify(signature, of: request, now: SignatureTests.signed)
        }
      }
      if let signature = try? Version2Signature(request) {
        #expect(throws: SignatureProblem.self) {
          try SignatureTests.digesting.verify(signature, of: request, now: SignatureTests.signed)
        }
      }
      _ = try? PostPolicy(encoded: Base64.standard(input)).check(["key": "a"], now: 0)
    }
  }
}

extension XMLElement {
  /// As it is read when it was written: characters that XML cannot have are replaced.
  fileprivate var readable: XMLElement {
    var copy = self
    copy.text = String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          let isControl = scalar.value < 0x20 && ![0x09, 0x0A, 0x0D].contains(scalar.value)
          return isControl || [0xFFFE, 0xFFFF].contains(scalar.value) ? "\u{FFFD}" : scalar
        }
      )
    )
    copy.children = children.map(\.readable)
    return copy
  }
}
