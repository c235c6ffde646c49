import FirestoreModel

/// The URL parameters of a WebChannel request.
///
/// - `VER` the protocol's version, 8; `SID` the session, absent when one is opened; `RID` the
///   request's number, or `rpc` for a back channel;
/// - `AID` the last array that the client has: it acknowledges all up to it;
/// - `CI` 1 asks for a long poll, an answer that ends with its first data; `TO` how many
///   milliseconds that may take;
/// - `TYPE` what the request is for: `terminate` ends the session;
/// - `gsessionid` what `X-HTTP-Session-Id` gave the client;
/// - `$httpHeaders` request headers that would need a preflight, on opening.
package struct WebChannelParameters: Sendable {
  package let sessionID: String?
  package let affinity: String?
  package let acknowledged: Int?
  package let isLongPoll: Bool
  package let timeout: Duration?
  package let isTermination: Bool
  package let database: String?
  private let version: String?
  private let type: String?
  private let headers: String?

  /// Reads a raw query.
  package init(_ query: String?) throws(FirestoreError) {
    var named: [String: String] = [:]
    for (name, value) in try QueryParameters(query).parameters { named[name] = value }
    sessionID = named["SID"].flatMap { $0.isEmpty || $0 == "null" ? nil : $0 }
    affinity = named["gsessionid"].flatMap { $0.isEmpty ? nil : $0 }
    acknowledged = named["AID"].flatMap { Int($0) }
    isLongPoll = named["CI"] == "1"
    timeout = named["TO"].flatMap { Int($0) }.map { .milliseconds(max(0, min($0, 600_000))) }
    isTermination = named["TYPE"] == "terminate"
    database = named["database"]
    version = named["VER"]
    type = named["TYPE"]
    headers = named["$httpHeaders"]
  }

  /// Throws for a version of the protocol that is not spoken here.
  package func checkVersion() throws(FirestoreError) {
    guard version == nil || version == "8" else {
      throw .invalidArgument("WebChannel's version must be 8.")
    }
  }

  /// The request headers in the query.
  package var encodedHeaders: WebChannelHeaders { WebChannelHeaders(headers ?? "") }
}

/// Request headers that travel in a URL or a body: lines of `Name:value`.
package struct WebChannelHeaders: Sendable, Hashable {
  private let values: [String: String]

  /// Reads a block; lines that are no headers are passed over.
  package init(_ block: String) {
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
