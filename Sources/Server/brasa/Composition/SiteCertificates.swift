import Foundation
import Gateway
import X509

/// The certificates that hosts of sites are served with, for administrators.
enum SiteCertificates {
  /// Microseconds since 1970 until which the certificate of a host is valid; nil where no certificate names the host.
  ///
  /// Blocks.
  static func end(of host: String, _ settings: ServeSettings) throws -> Int64? {
    guard let tls = settings.tls else { return nil }
    if let directory = settings.tlsDirectory,
      let file = try HostCertificates.file(for: host, in: directory)
    {
      return try X509.Certificate(file: file).end
    }
    let own = try X509.Certificate(file: tls.certificate)
    return try own.covers(host) ? own.end : nil
  }
}

extension X509.Certificate {
  /// Microseconds since 1970 of its end.
  fileprivate var end: Int64 { Int64(notValidAfter.timeIntervalSince1970 * 1_000_000) }

  /// True if its names have the host, as itself or by a wildcard of its parent.
  fileprivate func covers(_ host: String) throws -> Bool {
    let parent = host.split(separator: ".", maxSplits: 1).last.map { "*.\($0)" }
    return try extensions.subjectAlternativeNames?.contains { name in
      guard case .dnsName(let text) = name else { return false }
      return text.lowercased() == host || text.lowercased() == parent
    } ?? false
  }
}
