#if canImport(CCrypt)
import CCrypt
#endif

/// A bcrypt hash in its usual text: `$2a$`, `$2b$` or `$2y$`, a cost, salt and digest.
///
/// The system's libcrypt computes it. bcrypt reads 72 bytes and stops at a zero byte; a password
/// that is longer or contains one is never accepted, so that no two passwords are equal.
struct BCryptHash {
  private let text: [UInt8]

  /// Nil for any other text, or a hash that costs more than 2^13 steps.
  init?(_ text: [UInt8]) {
    let alphabet = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8
    let dollar = UInt8(ascii: "$")
    guard text.count == 60, text[0] == dollar, text[1] == UInt8(ascii: "2"),
      "aby".utf8.contains(text[2]), text[3] == dollar, text[6] == dollar,
      let cost = Int(String(decoding: text[4..<6], as: UTF8.self)), 4...13 ~= cost,
      text[7...].allSatisfy(alphabet.contains)
    else { return nil }
    self.text = text
  }

  func matches(_ password: [UInt8]) throws(AccountError) -> Bool {
    guard password.count <= 72, !password.contains(0) else { return false }
    #if canImport(CCrypt)
    return ConstantTime.areEqual(compute(password) ?? [], text)
    #else
    throw AccountError(.internalError, "bcrypt is not available on this system")
    #endif
  }

  #if canImport(CCrypt)
  private func compute(_ password: [UInt8]) -> [UInt8]? {
    let room = UnsafeMutablePointer<crypt_data>.allocate(capacity: 1)
    defer { room.deallocate() }
    UnsafeMutableRawPointer(room).initializeMemory(
      as: UInt8.self,
      repeating: 0,
      count: MemoryLayout<crypt_data>.size
    )
    let key = (password + [0]).map(CChar.init(bitPattern:))
    let setting = (text + [0]).map(CChar.init(bitPattern:))
    guard let result = crypt_r(key, setting, room) else { return nil }
    return Array(String(cString: result).utf8)
  }
  #endif
}
