import Access
import BaseRuntime
import HTTPTypes

/// The caller of a request that another node passed on, as that node knows its client's connection.
///
/// As text it is the network's name, then the true ones of `local`, `secure` and `foreign`, and the
/// address if it is known, with semicolons: `4:7f000001;local;at=127.0.0.1`.
package struct ForwardedCaller: Sendable, Hashable {
  /// The network by which the client's shares are counted.
  package let network: ClientAddress
  /// True if the client is on the node's machine.
  package let isLocal: Bool
  /// True if the client's connection is encrypted.
  package let isSecure: Bool
  /// True if it was sent by a web page that development's operator did not name.
  package let isForeignPage: Bool
  /// The client's address; empty where it is not known.
  package let address: String

  /// The field of a request that says it, with a proof that a node does.
  package static let fieldName = "brasa-forwarded"

  /// Makes the caller of a call.
  package init(of context: CallContext, at address: String = "") {
    self.address = address
    network = ClientAddress(name: context.network) ?? .none
    isLocal = context.isLocal
    isSecure = context.isSecure
    isForeignPage = context.isForeignPage
  }

  /// Reads the text; nil for any other.
  package init?(text: some StringProtocol) {
    let parts = text.split(separator: ";", omittingEmptySubsequences: false)
    var flags = parts.dropFirst()
    let last = flags.last ?? ""
    address = last.hasPrefix("at=") ? String(last.dropFirst(3)) : ""
    if !address.isEmpty { flags.removeLast() }
    guard let network = ClientAddress(name: parts[0]),
      flags.allSatisfy({ ["local", "secure", "foreign"].contains($0) })
    else { return nil }
    self.network = network
    isLocal = flags.contains("local")
    isSecure = flags.contains("secure")
    isForeignPage = flags.contains("foreign")
  }

  /// The caller as the value of the header field: the network, then its flags and address, with `;` between them.
  package var text: String {
    network.name + (isLocal ? ";local" : "") + (isSecure ? ";secure" : "")
      + (isForeignPage ? ";foreign" : "") + (address.isEmpty ? "" : ";at=\(address)")
  }
}

extension HTTPField.Name {
  /// The field of a request that another node passed on.
  static let forwardedCaller = known(ForwardedCaller.fieldName)
}
