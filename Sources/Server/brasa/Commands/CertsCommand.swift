import ArgumentParser

/// The command `brasa certs`.
struct CertsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "certs",
    abstract: "Make a certificate authority of your own and a server certificate, for trying TLS.",
    discussion: """
      Writes authority.pem, which clients are to trust, server.pem and server-key.pem, which \
      `brasa serve` takes, and authority-key.pem, which signs: keep that one to yourself. An \
      authority that is there already is kept and signs the new server certificate. For a server \
      that others use, take a certificate from an authority that they trust already.

      Examples:
        brasa certs --directory certs
        brasa certs --directory certs --host shop.local --host 192.168.1.10
      """
  )

  @Option(help: "Where to write the files.", completion: .directory)
  var directory = "brasa-certs"

  @Option(help: "A name or address that clients use; may be repeated.")
  var host = ["localhost", "127.0.0.1", "::1"]

  @Option(
    help: "How long the server certificate is good for; the authority's is good for ten years."
  )
  var days = 365

  func validate() throws {
    guard (1...3_650).contains(days) else {
      throw ValidationError("--days must be between 1 and 3650.")
    }
    guard !host.isEmpty, host.allSatisfy({ !$0.isEmpty }) else {
      throw ValidationError("--host must name at least one host.")
    }
  }

  func run() throws {
    let files = try TrialCertificates(directory: directory).issue(for: host, days: days)
    print(
      """
      Wrote \(files.certificate) and \(files.key), signed by \(files.authority).

        brasa serve --tls-certificate \(files.certificate) --tls-key \(files.key)
        curl --cacert \(files.authority) https://\(host[0]):8080/healthz
      """
    )
  }
}
