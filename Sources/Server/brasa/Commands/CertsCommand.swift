import ArgumentParser

/// The command `brasa certs`.
struct CertsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "certs",
    abstract: "Create your own certificate authority and a server certificate, to try TLS.",
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

  @Option(help: "The directory for the files.", completion: .directory)
  var directory = "brasa-certs"

  @Option(help: "A host name or address that clients use; repeatable.")
  var host = ["localhost", "127.0.0.1", "::1"]

  @Option(
    help:
      "The days for which the server certificate is valid; the authority is valid for ten years."
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
