import BaseText

/// A client's side of SMTP (RFC 5321, 3207, 4954) for one message, without I/O.
///
/// Fed with the server's reply lines it says what to do next. Where TLS is required, only the
/// greeting and EHLO are exchanged before it. A server that does not offer it gets nothing more,
/// and one that does not offer UTF-8 gets no international address.
struct SMTPConversation {
  /// The next action of the connection.
  enum Action: Equatable {
    /// Wait for more lines.
    case wait
    /// Send the line.
    case send(String)
    /// Switch to TLS, then call `didEncrypt`.
    case encrypt
    /// Send the message, dot-stuffed and ended.
    case sendMessage
    /// The message was accepted: say goodbye and close.
    case finish
    /// Give up.
    case fail(String)
  }

  private enum State {
    case greeting
    case hello(isEncrypted: Bool)
    case startTLS
    case handshake
    /// AUTH PLAIN was sent whole.
    case authentication
    case loginUser
    case loginPassword
    case sender
    case recipient
    case data
    case message
    case done
  }

  private let configuration: SMTPConfiguration
  private let recipient: MailAddress
  private let name: String
  private var state = State.greeting
  private var replyLines: [String] = []

  /// A conversation; `name` is how the client calls itself.
  init(configuration: SMTPConfiguration, recipient: MailAddress, name: String) {
    self.configuration = configuration
    self.recipient = recipient
    self.name = name
  }

  /// Takes one line of the server, without its end.
  mutating func receive(_ line: String) -> Action {
    let code = line.utf8.prefix(3)
    guard code.count == 3, code.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = Int(line.prefix(3)), replyLines.count < 100
    else { return .fail("the mail server sent an invalid reply") }
    let rest = line.dropFirst(3)
    replyLines.append(String(rest.dropFirst()))
    if rest.first == "-" { return .wait }
    let lines = replyLines
    replyLines = []
    return reply(number, lines)
  }

  /// TLS is on; the server is greeted again.
  mutating func didEncrypt() -> Action {
    state = .hello(isEncrypted: true)
    return .send("EHLO \(name)")
  }

  private mutating func reply(_ code: Int, _ lines: [String]) -> Action {
    switch (state, code) {
    case (.greeting, 220): return go(.hello(isEncrypted: isEncryptedFromStart), "EHLO \(name)")
    case (.hello(let isEncrypted), 250): return greeted(Set(lines), isEncrypted: isEncrypted)
    case (.startTLS, 220):
      state = .handshake
      return .encrypt
    case (.loginUser, 334):
      return go(.loginPassword, secret(configuration.login?.user))
    case (.loginPassword, 334): return go(.authentication, secret(configuration.login?.password))
    case (.authentication, 235): return beginMessage()
    case (.sender, 250): return go(.recipient, "RCPT TO:<\(recipient.text)>")
    case (.recipient, 250), (.recipient, 251): return go(.data, "DATA")
    case (.data, 354):
      state = .message
      return .sendMessage
    case (.message, 250):
      state = .done
      return .finish
    default: return .fail("the mail server answered \(code) to \(step)")
    }
  }

  private var isEncryptedFromStart: Bool { configuration.encryption == .immediate }

  private mutating func go(_ next: State, _ line: String) -> Action {
    state = next
    return .send(line)
  }

  private mutating func greeted(_ lines: Set<String>, isEncrypted: Bool) -> Action {
    let offers = Set(lines.map { $0.uppercased() })
    if configuration.encryption != .none, !isEncrypted {
      guard offers.contains("STARTTLS") else { return .fail("the mail server offers no TLS") }
      return go(.startTLS, "STARTTLS")
    }
    if recipient.isInternational || configuration.sender.isInternational {
      guard offers.contains("SMTPUTF8") else {
        return .fail("the mail server does not accept international addresses")
      }
    }
    guard let login = configuration.login else { return beginMessage() }
    let methods = offers.filter { $0.hasPrefix("AUTH ") }.flatMap { $0.split(separator: " ") }
    if methods.contains("PLAIN") {
      return go(.authentication, "AUTH PLAIN \(secret("\0\(login.user)\0\(login.password)"))")
    }
    if methods.contains("LOGIN") { return go(.loginUser, "AUTH LOGIN") }
    return .fail("the mail server offers neither AUTH PLAIN nor AUTH LOGIN")
  }

  private mutating func beginMessage() -> Action {
    let isInternational = recipient.isInternational || configuration.sender.isInternational
    return go(
      .sender,
      "MAIL FROM:<\(configuration.sender.text)>\(isInternational ? " SMTPUTF8" : "")"
    )
  }

  private func secret(_ text: String?) -> String { Base64.standard((text ?? "").utf8) }

  /// The command that was answered, for people; never its argument.
  private var step: String {
    switch state {
    case .greeting: "the connection"
    case .hello: "EHLO"
    case .startTLS, .handshake: "STARTTLS"
    case .authentication, .loginUser, .loginPassword: "AUTH"
    case .sender: "MAIL FROM"
    case .recipient: "RCPT TO"
    case .data: "DATA"
    case .message, .done: "the message"
    }
  }
}
