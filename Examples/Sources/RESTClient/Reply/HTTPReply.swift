import Foundation

/// The reply to a request: any status is a reply, only its absence is a transport error.
package struct HTTPReply: Sendable {
  package var status: Int
  /// Header names in lower case.
  package var headers: [String: String]
  package var body: Data

  package init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  package var isSuccess: Bool { (200...299).contains(status) }
}
