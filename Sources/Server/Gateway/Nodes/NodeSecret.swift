import BaseRuntime
import BaseText
import Crypto
import KeyValueStore

/// The secret by which the nodes of a cluster know each other: 32 random bytes in their store.
///
/// It does not go over the network. A request that a node passes on has a field
///
///     brasa-forwarded: <caller> <seconds> <proof>
///
/// where the proof is a code under the secret of caller, time, receiving node, method and target: a
/// third party can use it for nothing else, and only for a minute. It contains the node's client and
/// that the request must not be forwarded again, and grants nothing: the client's own credentials are
/// checked at the receiver.
package struct NodeSecret: Sendable {
  /// The seconds for which the field of a request is valid, before and after its time.
  private static let lifetime = Int64(60)

  private let key: SymmetricKey
  private let clock: MicrosecondClock

  /// A secret of 32 bytes, and the clock that all nodes of the store share.
  package init(_ bytes: [UInt8], clock: MicrosecondClock) {
    key = SymmetricKey(data: bytes)
    self.clock = clock
  }

  private var seconds: Int64 { clock.now() / 1_000_000 }

  /// The field of a request (`GET /path?query`) that is passed on to a node.
  package func field(
    for caller: ForwardedCaller,
    of request: String,
    to node: NodeNumber
  ) -> String {
    let content = "\(caller.text) \(seconds)"
    return "\(content) \(code("forwarded", node, "\(content) \(request)"))"
  }

  /// The caller of a request that has come to a node with such a field; nil where no node wrote it
  /// for that request and node a moment ago.
  package func caller(
    in field: String,
    of request: String,
    at node: NodeNumber
  ) -> ForwardedCaller? {
    let parts = field.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 3, let time = Int64(parts[1]),
      isCode(String(parts[2]), "forwarded", node, "\(parts[0]) \(parts[1]) \(request)"),
      abs(seconds - time) <= Self.lifetime
    else { return nil }
    return ForwardedCaller(text: parts[0])
  }

  /// The number of bytes in a greeting.
  package static let greetingLength = 2 * SHA256.byteCount

  /// Returns the response of a node to a greeting with a text.
  package func greeting(_ nonce: String, of node: NodeNumber) -> String {
    code("greeting", node, nonce)
  }

  /// Returns true if a response is that node's.
  package func isGreeting(_ answer: String, _ nonce: String, of node: NodeNumber) -> Bool {
    isCode(answer, "greeting", node, nonce)
  }

  private func code(_ purpose: String, _ node: NodeNumber, _ text: String) -> String {
    Hexadecimal.text(HMAC<SHA256>.authenticationCode(for: content(purpose, node, text), using: key))
  }

  /// Digests are compared in a time that says nothing of the code.
  private func isCode(
    _ candidate: String,
    _ purpose: String,
    _ node: NodeNumber,
    _ text: String
  ) -> Bool {
    let expected = code(purpose, node, text)
    return SHA256.hash(data: Array(candidate.utf8)) == SHA256.hash(data: Array(expected.utf8))
  }

  private func content(_ purpose: String, _ node: NodeNumber, _ text: String) -> [UInt8] {
    Array("\(purpose)\n\(node.text)\n\(text)".utf8)
  }
}
