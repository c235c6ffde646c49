/// Resolves the hosts of URLs and checks the addresses against a policy.
///
/// A client must connect to an address that came from here: a name could have another one when it
/// is resolved again.
struct AddressJudge: Sendable {
  let policy: FetchPolicy
  let lookups: NameLookups

  /// The addresses of the host, those of IPv4 first; never empty.
  ///
  /// Throws where the policy refuses one of them.
  func addresses(of url: FetchURL) async throws -> [NetworkAddress] {
    let addresses = try await lookups.addresses(of: url.host)
    for address in addresses { try policy.check(address, of: url) }
    guard !addresses.isEmpty else {
      throw OutboundError(.unreachable, "the name \(url.host) has no address")
    }
    return addresses.filter { $0.bytes.count == 4 } + addresses.filter { $0.bytes.count != 4 }
  }
}
