import Authentication
import Testing

@testable import Outbound

struct MailTextTests {
  private let configuration: SMTPConfiguration

  init() throws {
    configuration = try SMTPConfiguration(
      host: "localhost",
      port: 25,
      encryption: .none,
      login: nil,
      sender: "no-reply@example.com",
      senderName: "Loja da Ana"
    )
  }

  private func render(_ mail: Mail) throws -> String {
    let message = try MailText.render(
      mail,
      from: configuration,
      to: try #require(MailAddress(mail.recipient)),
      date: 1_763_700_000,
      token: "t0k3n"
    )
    return String(decoding: message, as: UTF8.self)
  }

  @Test func `a message has its head and two parts`() throws {
    let text = try render(
      Mail(recipient: "ana@example.com", subject: "Olá", text: "Oi", html: "<p>Oi</p>")
    )
    #expect(
      text == """
        From: =?utf-8?B?TG9qYSBkYSBBbmE=?= <no-reply@example.com>\r
        To: <ana@example.com>\r
        Subject: =?utf-8?B?T2zDoQ==?=\r
        Date: Fri, 21 Nov 2025 04:40:00 +0000\r
        Message-ID: <t0k3n@example.com>\r
        Auto-Submitted: auto-generated\r
        MIME-Version: 1.0\r
        Content-Type: multipart/alternative; boundary="=_t0k3n"\r
        \r
        --=_t0k3n\r
        Content-Type: text/plain; charset=utf-8\r
        Content-Transfer-Encoding: base64\r
        \r
        T2k=\r
        --=_t0k3n\r
        Content-Type: text/html; charset=utf-8\r
        Content-Transfer-Encoding: base64\r
        \r
        PHA+T2k8L3A+\r
        --=_t0k3n--\r

        """
    )
  }

  @Test func `no line of a message is longer than mail allows`() throws {
    let long = String(repeating: "ação ", count: 90)
    let text = try render(
      Mail(recipient: "ana@example.com", subject: String(long.prefix(300)), text: long, html: long)
    )
    for line in text.split(separator: "\r\n") { #expect(line.utf8.count <= 78, "\(line)") }
  }

  @Test(arguments: ["a\r\nBcc: all@example.com", "a\nb", "a\u{0}b", "a\u{2028}b", "a\u{85}b"])
  func `a subject cannot smuggle a header in`(subject: String) {
    let mail = Mail(recipient: "ana@example.com", subject: subject, text: "", html: "")
    #expect(throws: OutboundError.self) { try render(mail) }
  }

  @Test(
    arguments: [
      "ana@example.com\r\nRCPT TO:<x@example.com>", "ana@exa mple.com", "<ana@example.com>",
      "ana", "@example.com", "ana@", "a@b@c", "\"a b\"@example.com", "ana@example.com\u{200B}",
      "ana,bia@example.com", "",
    ]
  )
  func `an address cannot be more than an address`(text: String) {
    #expect(MailAddress(text) == nil)
  }

  @Test func `a dot at the beginning of a line is doubled`() {
    #expect(
      SMTPConnection.stuffed(Array(".a\r\n.\r\nb.\r\n".utf8)) == Array("..a\r\n..\r\nb.\r\n".utf8)
    )
  }
}
