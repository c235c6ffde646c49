import BaseText
import Testing

@Suite struct NotationTests {
  @Test func `base64 reads both alphabets, padded or not, and nothing else`() {
    for count in 0..<7 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: 0xFB &+ $0 &* 57) }
      let texts = [
        Base64.standard(bytes), Base64.standard(bytes, padded: false),
        Base64.url(bytes), Base64.url(bytes, padded: true),
      ]
      for text in texts { #expect(Base64.decode(text) == bytes, "\(text)") }
    }
    for text in ["A", "AA=A", "AAAA=", "A===", "====", "AA=", "AA*A", "A A="] {
      #expect(Base64.decode(text) == nil, "\(text)")
    }
  }

  @Test func `base64 is what the RFC's examples say`() {
    let cases = [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
      ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ]
    for (plain, text) in cases {
      #expect(Base64.standard(Array(plain.utf8)) == text)
      #expect(Base64.url(Array(plain.utf8)) == text.filter { $0 != "=" })
    }
    #expect(Base64.standard([0xFB, 0xFF]) == "+/8=")
    #expect(Base64.url([0xFB, 0xFF]) == "-_8")
  }

  @Test func `a token's base64 is read strictly`() {
    #expect(Base64.decodeStrictly("-_8".utf8) == [0xFB, 0xFF])
    for text in ["-_8=", "+/8", "-_9", "A", "AB"] {
      #expect(Base64.decodeStrictly(text.utf8) == nil, "\(text)")
    }
  }

  @Test func `hexadecimal digits of either case`() {
    #expect(Hexadecimal.text([0x00, 0x0A, 0xFF]) == "000aff")
    #expect(Hexadecimal.text([0x0A, 0xFF], uppercase: true) == "0AFF")
    #expect(
      Array("09afAFgG/:@`".utf8).map(Hexadecimal.digit) == [
        0, 9, 10, 15, 10, 15, nil, nil, nil, nil, nil, nil,
      ]
    )
  }

  @Test func `a form is encoded as browsers do`() {
    #expect(PercentEncoding.form([("a b", "ç&="), ("c", "")]) == "a%20b=%C3%A7%26%3D&c=")
  }

  @Test func `escapes are decoded, malformed ones refused`() {
    #expect(PercentEncoding.decode("a%20b+%C3%a7") == "a b+ç")
    #expect(PercentEncoding.decode("a+b", plusIsSpace: true) == "a b")
    #expect(PercentEncoding.decodeForm("%FF+".utf8) == [0xFF, 0x20])
    for text in ["%", "%4", "%4g", "%FF"] { #expect(PercentEncoding.decode(text[...]) == nil) }
  }
}
