import NIOSSL
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The certificates of single hosts, from a directory of files that may change.
///
/// A host has `HOST.pem` and `HOST-key.pem`, or a directory of its name with `fullchain.pem` and `privkey.pem`, as certbot and lego
/// write them. A name that begins with `_.` is for all hosts one label below the rest. Any thread may call.
package final class HostCertificates: Sendable {
  struct Entry: Sendable {
    let chain: [NIOSSLCertificateSource]
    let key: NIOSSLPrivateKeySource
  }

  private struct State: Sendable {
    var entries: [String: Entry] = [:]
    var marks: [String: String] = [:]
    /// Marks of unusable files, which are reported once.
    var refused: [String: String] = [:]
  }

  private let directory: String
  private let state = Mutex(State())

  /// Reads a directory; throws a `CertificateFailure` where it, or a certificate in it, cannot be used.
  package init(directory: String) throws {
    self.directory = directory
    if let first = try reload().failures.first { throw first }
  }

  /// The certificate for a host that a client names; nil leaves it to the server's own.
  func entry(for host: String) -> Entry? {
    let host = host.lowercased()
    return state.withLock { state in
      if let entry = state.entries[host] { return entry }
      guard let dot = host.firstIndex(of: ".") else { return nil }
      return state.entries["_" + host[dot...]]
    }
  }

  /// The certificate's file for a host in a directory of that kind; nil where the server's own is shown.
  ///
  /// Blocks.
  package static func file(for host: String, in directory: String) throws -> String? {
    let files = try files(in: directory)
    let wildcard = host.firstIndex(of: ".").map { "_" + host[$0...] }
    return (files[host] ?? wildcard.flatMap { files[$0] })?.certificate
  }

  /// Reads the changed files, and returns their number.
  ///
  /// A file that can't be used leaves the previous certificate.
  ///
  /// Blocks. Throws where the directory cannot be read.
  package func reload() throws -> (count: Int, failures: [CertificateFailure]) {
    let files = try Self.files(in: directory)
    var failures: [CertificateFailure] = []
    var count = 0
    let known = state.withLock { $0 }
    var read = State()
    for (host, pair) in files {
      let mark = pair.mark
      if known.refused[host] == mark {
        (read.entries[host], read.refused[host]) = (known.entries[host], mark)
        continue
      }
      if known.marks[host] == mark, let entry = known.entries[host] {
        (read.entries[host], read.marks[host]) = (entry, mark)
        continue
      }
      do {
        let configuration = try pair.read()
        guard let key = configuration.privateKey else { continue }
        read.entries[host] = Entry(chain: configuration.certificateChain, key: key)
        read.marks[host] = mark
        count += 1
      } catch let failure as CertificateFailure {
        (read.entries[host], read.refused[host]) = (known.entries[host], mark)
        failures.append(failure)
      }
    }
    let result = read
    state.withLock { $0 = result }
    return (count, failures)
  }

  private static func files(
    in directory: String
  ) throws -> [String: GatewayConfiguration.TLSFiles] {
    var found: [String: GatewayConfiguration.TLSFiles] = [:]
    for name in try names(in: directory) {
      let path = "\(directory)/\(name)"
      if name.hasSuffix(".pem"), !name.hasSuffix("-key.pem") {
        let host = String(name.dropLast(4))
        let key = "\(directory)/\(host)-key.pem"
        if access(key, F_OK) == 0 { found[host.lowercased()] = .init(certificate: path, key: key) }
      } else if access("\(path)/fullchain.pem", F_OK) == 0 {
        found[name.lowercased()] = .init(
          certificate: "\(path)/fullchain.pem",
          key: "\(path)/privkey.pem"
        )
      }
    }
    return found
  }

  private static func names(in directory: String) throws -> [String] {
    guard let stream = opendir(directory) else {
      throw CertificateFailure("Can't read the directory of certificates \(directory).")
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }
}

extension GatewayConfiguration.TLSFiles {
  /// A text that is another one after a change of a file.
  var mark: String { Self.mark(certificate) + Self.mark(key) }

  private static func mark(_ path: String) -> String {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return "-" }
    #if canImport(Darwin)
    let time = facts.st_mtimespec
    #else
    let time = facts.st_mtim
    #endif
    return "\(facts.st_ino).\(facts.st_size).\(time.tv_sec).\(time.tv_nsec) "
  }
}
