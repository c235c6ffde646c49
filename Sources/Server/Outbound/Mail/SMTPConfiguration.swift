/// The server that takes mail, and the account on it.
package struct SMTPConfiguration: Sendable, Hashable {
  /// The encryption of the connection.
  package enum Encryption: Sendable, Hashable {
    /// Begins in the clear and must switch to TLS before anything else is said (port 587).
    case startTLS
    /// TLS from the first byte (port 465).
    case immediate
    /// None; only for a relay on this machine, and without a password.
    case none
  }

  /// Name and password.
  package struct Login: Sendable, Hashable {
    /// The user name at the mail server.
    package let user: String
    /// The password at the mail server.
    package let password: String

    /// A login.
    package init(user: String, password: String) {
      self.user = user
      self.password = password
    }
  }

  /// The mail server's name or address.
  package let host: String
  /// The mail server's TCP port.
  package let port: Int
  /// The encryption of the connection.
  package let encryption: Encryption
  /// The user name and password; nil sends without a login.
  package let login: Login?
  /// The address that messages come from.
  package let sender: MailAddress
  /// The name of the sender that people see.
  package let senderName: String
  /// A PEM file of authorities to trust instead of the system's.
  package var authorities: String?
  /// The time that one message may take in all.
  package var timeout = Duration.seconds(60)

  /// Settings, checked: no password without TLS, no cleartext beyond this machine.
  package init(
    host: String,
    port: Int,
    encryption: Encryption,
    login: Login?,
    sender: String,
    senderName: String
  ) throws {
    guard let sender = MailAddress(sender) else {
      throw OutboundError(.refused, "\"\(sender)\" is not an email address")
    }
    if encryption == .none {
      guard login == nil else {
        throw OutboundError(.refused, "a password is sent only over TLS")
      }
      guard host == "localhost" || NetworkAddress(host)?.isLoopback == true else {
        throw OutboundError(.refused, "email leaves this machine only over TLS")
      }
    }
    guard MailText.isOneLine(senderName) else {
      throw OutboundError(.refused, "the sender's name must be one line of text")
    }
    self.host = host
    self.port = port
    self.encryption = encryption
    self.login = login
    self.sender = sender
    self.senderName = senderName
  }
}
