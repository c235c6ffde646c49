/// A request as a stand-in sees it.
package struct StandInRequest: Sendable {
  package let method: String
  package let path: String
  /// Names in lower case, those of HTTP/2 itself left out.
  package let headers: [String: String]
  package let body: [UInt8]
  /// Which connection it came over, counted from 1.
  package let connection: Int
}

/// The reply of a stand-in to a request.
package enum StandInReply: Sendable, Equatable {
  case answer(status: Int, headers: [String: String] = [:], body: String = "")
  /// Nothing, ever.
  case silence
  /// Ends the connection under the request.
  case cut
  /// Says that the connection ends and that this request was not looked at, and ends it.
  case goAway(reason: String)
}
