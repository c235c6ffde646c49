import Foundation

/// The addresses at which the apps reach the examples' servers.
///
/// They are in the folder `Servers` of this target: `servers.conf`, and before it `local.conf`, which
/// `scripts/examples --host` writes. A line is a name and a value; `#` begins a comment:
///
///     host 192.168.1.20
///     ponto-service 8080
package struct ExampleServers: Sendable {
  /// The servers that apps call.
  package enum Server: String, CaseIterable, Sendable {
    case vollmed = "vollmed-service"
    case ponto = "ponto-service"
    case sales = "sales-service"
    case orderStatus = "order-status"
    case codableGuide = "codable-guide"
    case products
  }

  private var values: [String: String] = [:]

  /// - Parameter files: The texts of the files; a line of a later one replaces an earlier one's.
  package init(files: [String]) throws(ExampleServersError) {
    for line in files.flatMap({ $0.split(whereSeparator: \.isNewline) }) {
      let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
      guard !words.isEmpty else { continue }
      guard words.count == 2 else { throw .malformedLine(String(line)) }
      values[String(words[0])] = String(words[1])
    }
  }

  /// The addresses of the package's own files.
  package static func bundled() throws(ExampleServersError) -> ExampleServers {
    let folder = Bundle.module.bundleURL.appending(path: "Servers")
    let names = ["servers.conf", "local.conf"]
    return try ExampleServers(
      files: names.compactMap {
        try? String(contentsOf: folder.appending(path: $0), encoding: .utf8)
      }
    )
  }

  /// The address of a server, such as `http://localhost:3000`.
  package func address(of server: Server) throws(ExampleServersError) -> URL {
    guard let host = values["host"], let port = values[server.rawValue].flatMap(UInt16.init) else {
      throw .unknownAddress(server)
    }
    guard let url = URL(string: "http://\(host):\(port)"), url.host() == host else {
      throw .malformedHost(host)
    }
    return url
  }
}

/// A mistake in the files of the servers' addresses.
package enum ExampleServersError: Error, Equatable {
  case malformedLine(String)
  case malformedHost(String)
  case unknownAddress(ExampleServers.Server)
}

extension ExampleServersError: LocalizedError {
  package var errorDescription: String? {
    switch self {
    case .malformedLine(let line):
      "A line of the examples' servers is a name and a value, not \"\(line)\"."
    case .malformedHost(let host):
      "The host of the examples' servers is a name or an address, such as 192.168.1.20, not \"\(host)\"."
    case .unknownAddress(let server):
      "The examples' servers need a line with the host and one with the port of \(server.rawValue)."
    }
  }
}
