import BaseStatus

/// The URL parameters of a WebChannel request.
///
/// - `VER`: the protocol's version, 8. `SID`: the session, absent when one is opened. `RID`: the
///   request's number, or `rpc` for a back channel.
/// - `AID` the last array that the client has, -1 for none: it acknowledges all up to it;
/// - `CI`: 1 requests a long poll, a response that ends with its first data. `TO`: the milliseconds
///   that it may take.
/// - `TYPE`: the request's purpose: `terminate` ends the session;
/// - `gsessionid` what `X-HTTP-Session-Id` gave the client;
/// - `$httpHeaders` request headers that would need a preflight, on opening.
package struct WebChannelParameters: Sendable {
  /// `SID`; nil when a session is opened, also for an empty one and the text `null`.
  package let sessionID: String?
  /// `gsessionid`; nil if it is absent or empty.
  package let affinity: String?
  /// `AID`, -1 or more; nil if the request acknowledges nothing.
  package let acknowledged: Int?
  /// True for `CI=1`: the response ends with its first data.
  package let isLongPoll: Bool
  /// `TO`, at most ten minutes; nil leaves it to the server.
  package let timeout: Duration?
  /// True for `TYPE=terminate`.
  package let isTermination: Bool
  /// `database`, a database's resource name, not checked here; nil if it is absent.
  package let database: String?
  private let version: String?
  private let type: String?
  private let headers: WebChannelHeaders

  /// The longest time that a client may give.
  private static let longestTimeout = 600_000

  /// Reads a raw query; INVALID_ARGUMENT where a number in it is none, or out of range.
  package init(_ query: String?) throws(ServiceError) {
    var named: [String: String] = [:]
    for (name, value) in try QueryParameters(query).parameters { named[name] = value }
    sessionID = named["SID"].flatMap { $0.isEmpty || $0 == "null" ? nil : $0 }
    affinity = named["gsessionid"].flatMap { $0.isEmpty ? nil : $0 }
    acknowledged = try named["AID"].map { text throws(ServiceError) in
      try WebChannelNumber.parse(text, in: -1...WebChannelNumber.greatest)
    }
    isLongPoll = named["CI"] == "1"
    timeout = try named["TO"].map { text throws(ServiceError) in
      let number = try WebChannelNumber.parse(text, in: 0...WebChannelNumber.greatest)
      return .milliseconds(min(number, Self.longestTimeout))
    }
    isTermination = named["TYPE"] == "terminate"
    database = named["database"]
    version = named["VER"]
    type = named["TYPE"]
    headers = try WebChannelHeaders(Array((named["$httpHeaders"] ?? "").utf8))
  }

  /// Throws for a version of the protocol that is not spoken here.
  package func checkVersion() throws(ServiceError) {
    guard version == nil || version == "8" else {
      throw .invalidArgument("WebChannel's version must be 8.")
    }
  }

  /// The request headers in the query.
  package var encodedHeaders: WebChannelHeaders { headers }
}

/// Request headers that travel in a URL or a body: lines of `Name:value`.
package struct WebChannelHeaders: Sendable, Hashable {
  /// The largest size of a block, in bytes, as the header fields of a request.
  private static let maximumBytes = 32 << 10

  private let values: [String: String]

  /// Reads a block; lines that are no headers are passed over.
  package init(_ bytes: [UInt8]) throws(ServiceError) {
    guard bytes.count <= Self.maximumBytes else {
      throw ServiceError(.resourceExhausted, "The channel's headers are too large.")
    }
    let block = String(decoding: bytes, as: UTF8.self)
    var values: [String: String] = [:]
    for line in block.split(whereSeparator: { $0 == "\r\n" || $0 == "\n" || $0 == "\r" }) {
      let halves = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard halves.count == 2 else { continue }
      let value = halves[1].drop { $0 == " " || $0 == "\t" }
      values[halves[0].lowercased()] = String(value)
    }
    self.values = values
  }

  /// The header of that name; its case does not matter.
  package subscript(_ name: String) -> String? { values[name.lowercased()] }
}
