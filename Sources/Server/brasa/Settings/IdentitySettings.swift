import ArgumentParser

/// The accounts' needs of the network, from `BRASA_*` variables alone: passwords do not belong
/// among flags, which every user of the machine can read.
///
///     BRASA_SMTP               host:port of the mail server
///     BRASA_SMTP_TLS           starttls (default), immediate, or none for this machine's own relay
///     BRASA_SMTP_USER, BRASA_SMTP_PASSWORD
///     BRASA_SMTP_FROM, BRASA_SMTP_NAME    whom emails come from
///     BRASA_SMTP_CA            a PEM file of authorities to trust instead of the system's
///     BRASA_OUTBOUND_HOSTS     the hosts of identity providers, with commas; default every public one
///     BRASA_OUTBOUND_PRIVATE   whether providers may be inside this network
///     BRASA_OUTBOUND_CA        as BRASA_SMTP_CA
struct IdentitySettings: Sendable, Equatable {
  /// The way in which mail leaves.
  struct Mail: Sendable, Equatable {
    let host: String
    let port: Int
    let encryption: String
    let user: String?
    let password: String?
    let sender: String
    let senderName: String
    let authorities: String?
  }

  /// Nil sends no mail.
  let mail: Mail?
  let fetchHosts: Set<String>?
  let fetchesPrivate: Bool
  let fetchAuthorities: String?

  /// Reads the variables.
  init(_ environment: EnvironmentReader) throws {
    mail = try Self.mail(environment)
    fetchHosts = environment.text("OUTBOUND_HOSTS").map { text in
      Set(text.lowercased().split(separator: ",").map { $0.filter { $0 != " " } })
    }
    fetchesPrivate = try environment.flag("OUTBOUND_PRIVATE")
    fetchAuthorities = environment.text("OUTBOUND_CA")
  }

  private static func mail(_ environment: EnvironmentReader) throws -> Mail? {
    guard let address = environment.text("SMTP") else { return nil }
    guard let colon = address.lastIndex(of: ":"),
      let port = Int(address[address.index(after: colon)...]), (1...65_535).contains(port)
    else { throw ValidationError("BRASA_SMTP must be like mail.example.org:587, not \(address).") }
    guard let sender = environment.text("SMTP_FROM") else {
      throw ValidationError("BRASA_SMTP needs BRASA_SMTP_FROM, the address that emails come from.")
    }
    let encryption = environment.text("SMTP_TLS") ?? "starttls"
    guard ["starttls", "immediate", "none"].contains(encryption) else {
      throw ValidationError("BRASA_SMTP_TLS must be starttls, immediate or none.")
    }
    let host = address[..<colon].filter { $0 != "[" && $0 != "]" }
    return Mail(
      host: host,
      port: port,
      encryption: encryption,
      user: environment.text("SMTP_USER"),
      password: environment.text("SMTP_PASSWORD"),
      sender: sender,
      senderName: environment.text("SMTP_NAME") ?? "Brasa",
      authorities: environment.text("SMTP_CA")
    )
  }
}
