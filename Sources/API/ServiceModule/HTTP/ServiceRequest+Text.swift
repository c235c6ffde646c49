import Access
import BaseStatus
import Gzip

extension ServiceRequest {
  /// The whole body, which is a text to be parsed (JSON, a form, XML).
  ///
  /// The memory of its values counts on the ledger until the request is answered;
  /// RESOURCE_EXHAUSTED where there is no room for them, `TooLarge` where the body is longer than
  /// that many bytes.
  package func collectText(upTo limit: Int) async throws -> [UInt8] {
    let bytes = try await body.collect(upTo: limit)
    try reserveParsed(bytes)
    return bytes
  }

  /// `collectText` of a body that may be packed with gzip, as its first bytes say.
  ///
  /// The bound is on the body as it comes and on the text; INVALID_ARGUMENT for a body that is damaged.
  package func collectUnpackedText(upTo limit: Int) async throws -> [UInt8] {
    let body = try await body.collect(upTo: limit)
    guard body.starts(with: GzipReader.signature) else {
      try reserveParsed(body)
      return body
    }
    let bytes = try Self.unpacked(body, limit: limit)
    try reserveParsed(bytes)
    return bytes
  }

  private static func unpacked(_ body: [UInt8], limit: Int) throws -> [UInt8] {
    do {
      return try GzipReader.unpacked(body, limit: Int64(limit))
    } catch {
      if error == .tooLarge { throw ServiceBody.TooLarge() }
      throw ServiceError.invalidArgument("The gzip body is damaged.")
    }
  }

  /// Counts the memory of a text's values on the ledger, until the response.
  package func reserveParsed(_ text: [UInt8]) throws(ServiceError) {
    try leases.take(ParsedText.bytes(of: text), for: .request, by: context)
  }
}

/// The memory that texts take once they are parsed.
package enum ParsedText {
  /// The approximate maximum of memory for the parsed values of a text: its strings, and a value
  /// for each separator.
  package static func bytes(of text: [UInt8]) -> Int {
    text.withUnsafeBytes { raw in
      raw.reduce(raw.count) { total, byte in
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "&"): total + 40
        case UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "<"): total + 72
        default: total
        }
      }
    }
  }
}
