import Testing

@testable import Outbound

struct SMTPConversationTests {
  private func conversation(
    _ encryption: SMTPConfiguration.Encryption = .startTLS,
    login: SMTPConfiguration.Login? = .init(user: "brasa", password: "secret"),
    to recipient: String = "ana@example.com"
  ) throws -> SMTPConversation {
    let configuration = try SMTPConfiguration(
      host: encryption == .none ? "localhost" : "mail.example.com",
      port: 587,
      encryption: encryption,
      login: login,
      sender: "no-reply@example.com",
      senderName: "Brasa"
    )
    return SMTPConversation(
      configuration: configuration,
      recipient: try #require(MailAddress(recipient)),
      name: "client"
    )
  }

  @Test func `a message goes out after TLS and the password after TLS only`() throws {
    var talk = try conversation()
    #expect(talk.receive("220 mail.example.com ESMTP") == .send("EHLO client"))
    #expect(talk.receive("250-mail.example.com") == .wait)
    #expect(talk.receive("250-AUTH PLAIN LOGIN") == .wait)
    #expect(talk.receive("250 STARTTLS") == .send("STARTTLS"))
    #expect(talk.receive("220 go ahead") == .encrypt)
    #expect(talk.didEncrypt() == .send("EHLO client"))
    #expect(talk.receive("250-mail.example.com") == .wait)
    #expect(talk.receive("250 AUTH PLAIN LOGIN") == .send("AUTH PLAIN AGJyYXNhAHNlY3JldA=="))
    #expect(talk.receive("235 welcome") == .send("MAIL FROM:<no-reply@example.com>"))
    #expect(talk.receive("250 ok") == .send("RCPT TO:<ana@example.com>"))
    #expect(talk.receive("250 ok") == .send("DATA"))
    #expect(talk.receive("354 go") == .sendMessage)
    #expect(talk.receive("250 queued") == .finish)
  }

  @Test func `AUTH LOGIN is used where PLAIN is missing`() throws {
    var talk = try conversation(.immediate)
    _ = talk.receive("220 hello")
    #expect(talk.receive("250 AUTH LOGIN") == .send("AUTH LOGIN"))
    #expect(talk.receive("334 VXNlcm5hbWU6") == .send("YnJhc2E="))
    #expect(talk.receive("334 UGFzc3dvcmQ6") == .send("c2VjcmV0"))
    #expect(talk.receive("235 ok") == .send("MAIL FROM:<no-reply@example.com>"))
  }

  @Test func `a server without TLS gets nothing`() throws {
    var talk = try conversation()
    _ = talk.receive("220 hello")
    #expect(talk.receive("250 AUTH PLAIN") == .fail("the mail server offers no TLS"))
  }

  @Test(arguments: ["535 no", "454 later", "999", "hello", ""])
  func `any other answer ends the conversation`(line: String) throws {
    var talk = try conversation()
    _ = talk.receive("220 hello")
    guard case .fail(let problem) = talk.receive(line) else {
      Issue.record("\(line) went through")
      return
    }
    #expect(!problem.contains("secret"))
  }

  @Test func `an international address needs a server that takes it`() throws {
    var talk = try conversation(.none, login: nil, to: "joão@example.com")
    _ = talk.receive("220 hello")
    #expect(
      talk.receive("250 PIPELINING")
        == .fail("the mail server does not accept international addresses")
    )
    var other = try conversation(.none, login: nil, to: "joão@example.com")
    _ = other.receive("220 hello")
    #expect(
      other.receive("250 SMTPUTF8") == .send("MAIL FROM:<no-reply@example.com> SMTPUTF8")
    )
  }

  @Test func `cleartext beyond this machine and passwords in the clear are refused`() {
    #expect(throws: OutboundError.self) {
      try SMTPConfiguration(
        host: "mail.example.com",
        port: 25,
        encryption: .none,
        login: nil,
        sender: "a@example.com",
        senderName: "A"
      )
    }
    #expect(throws: OutboundError.self) {
      try SMTPConfiguration(
        host: "127.0.0.1",
        port: 25,
        encryption: .none,
        login: .init(user: "a", password: "b"),
        sender: "a@example.com",
        senderName: "A"
      )
    }
  }
}
