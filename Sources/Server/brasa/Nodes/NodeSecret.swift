import BaseText
import Crypto
import Gateway
import KeyValueStore

// The key of the secret: 0xC0, the first byte of `KeyOwner.nodes`, then 0x01. Its value is 32 random bytes.

extension KeyOwner {
  /// The secret of the nodes that share a store.
  package static let nodes = KeyOwner("nodes", firstBytes: 0xC0...0xCF)
}

/// The secret by which the nodes of a cluster know each other: 32 random bytes in their store.
///
/// It does not go over the network. A request that a node passes on has a field
///
///     brasa-forwarded: <caller> <proof>
///
/// where the proof is a code under the secret of caller, receiving node, method and target: a third
/// party can use it for nothing else. It contains the node's client and that the request must not
/// be forwarded again, and grants nothing: the client's own credentials are checked at the
/// receiver.
struct NodeSecret: Sendable {
  private let key: SymmetricKey

  /// A secret of 32 bytes.
  init(_ bytes: [UInt8]) { key = SymmetricKey(data: bytes) }

  /// The secret that is kept in an engine, made by its first use; blocks.
  init(engine: any KeyValueEngine) throws {
    let key = [KeyOwner.nodes.firstBytes.lowerBound, 0x01]
    self.init(try KeptSecret.read(key, in: engine))
  }

  /// The field of a request (`GET /path?query`) that is passed on to a node.
  func field(for caller: ForwardedCaller, of request: String, to node: NodeNumber) -> String {
    "\(caller.text) \(code("forwarded", node, "\(caller.text) \(request)"))"
  }

  /// The caller of a request that has come to a node with such a field; nil where no node wrote it for that request and node.
  func caller(in field: String, of request: String, at node: NodeNumber) -> ForwardedCaller? {
    let parts = field.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2,
      isCode(String(parts[1]), "forwarded", node, "\(parts[0]) \(request)")
    else { return nil }
    return ForwardedCaller(text: parts[0])
  }

  /// The number of bytes in a greeting.
  static let greetingLength = 2 * SHA256.byteCount

  /// Returns the response of a node to a greeting with a text.
  func greeting(_ nonce: String, of node: NodeNumber) -> String { code("greeting", node, nonce) }

  /// Returns true if a response is that node's.
  func isGreeting(_ answer: String, _ nonce: String, of node: NodeNumber) -> Bool {
    isCode(answer, "greeting", node, nonce)
  }

  private func code(_ purpose: String, _ node: NodeNumber, _ text: String) -> String {
    Hexadecimal.text(HMAC<SHA256>.authenticationCode(for: content(purpose, node, text), using: key))
  }

  /// Compares in a time that says nothing of the code.
  private func isCode(
    _ candidate: String,
    _ purpose: String,
    _ node: NodeNumber,
    _ text: String
  ) -> Bool {
    guard let bytes = Hexadecimal.bytes(candidate) else { return false }
    return HMAC<SHA256>.isValidAuthenticationCode(
      bytes,
      authenticating: content(purpose, node, text),
      using: key
    )
  }

  private func content(_ purpose: String, _ node: NodeNumber, _ text: String) -> [UInt8] {
    Array("\(purpose)\n\(node.text)\n\(text)".utf8)
  }
}
