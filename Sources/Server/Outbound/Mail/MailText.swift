import Authentication
import BaseText

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

// A message as it goes over the wire (RFC 5322, RFC 2045-2047): headers, then two parts with the same
// content, plain text and HTML, each as UTF-8 in Base64 with lines of 76 characters. So no line is
// long, none begins with a dot, and no content can be taken for a header.

/// Writes messages.
enum MailText {
  /// The message; throws for a subject that is not one line.
  static func render(
    _ mail: Mail,
    from configuration: SMTPConfiguration,
    to recipient: MailAddress,
    date: Int,
    token: String
  ) throws -> [UInt8] {
    guard isOneLine(mail.subject) else {
      throw OutboundError(.refused, "the subject must be one line of text")
    }
    let boundary = "=_\(token)"
    let sender = configuration.sender
    var lines = [
      "From: \(encodedWords(configuration.senderName)) <\(sender.text)>",
      "To: <\(recipient.text)>",
      "Subject: \(encodedWords(mail.subject))",
      "Date: \(dateText(date))",
      "Message-ID: <\(token)@\(sender.domain)>",
      "Auto-Submitted: auto-generated",
      "MIME-Version: 1.0",
      "Content-Type: multipart/alternative; boundary=\"\(boundary)\"",
      "",
    ]
    for (type, content) in [("plain", mail.text), ("html", mail.html)] {
      lines += ["--\(boundary)", "Content-Type: text/\(type); charset=utf-8"]
      lines += ["Content-Transfer-Encoding: base64", ""]
      lines += base64Lines(content)
    }
    lines += ["--\(boundary)--", ""]
    return Array(lines.joined(separator: "\r\n").utf8)
  }

  /// Returns true if the text can be part of a header.
  static func isOneLine(_ text: String) -> Bool {
    text.utf8.count <= 500
      && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F && !isBreak($0) }
  }

  private static func isBreak(_ scalar: Unicode.Scalar) -> Bool {
    [0x85, 0x2028, 0x2029].contains(scalar.value)
  }

  /// The text as encoded words, which mean the same everywhere and can be nothing else.
  static func encodedWords(_ text: String) -> String {
    var words: [String] = []
    var word: [UInt8] = []
    for character in text {
      let bytes = Array(String(character).utf8)
      if word.count + bytes.count > 42 {
        words.append(encodedWord(word))
        word = []
      }
      word += bytes
    }
    if !word.isEmpty { words.append(encodedWord(word)) }
    return words.joined(separator: "\r\n ")
  }

  private static func encodedWord(_ bytes: [UInt8]) -> String {
    "=?utf-8?B?\(Base64.standard(bytes))?="
  }

  private static func base64Lines(_ text: String) -> [String] {
    let encoded = Array(Base64.standard(text.utf8).utf8)
    return stride(from: 0, to: encoded.count, by: 76).map {
      String(decoding: encoded[$0..<min($0 + 76, encoded.count)], as: UTF8.self)
    }
  }

  /// An instant, in seconds since 1970, as mail writes it, in UTC.
  static func dateText(_ seconds: Int) -> String {
    var time = time_t(seconds)
    var parts = tm()
    gmtime_r(&time, &parts)
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }
    return "\(days[Int(parts.tm_wday)]), \(parts.tm_mday) \(months[Int(parts.tm_mon)]) "
      + "\(parts.tm_year + 1_900) \(clock.joined(separator: ":")) +0000"
  }
}
