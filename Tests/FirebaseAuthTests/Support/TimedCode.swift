import Foundation

/// The codes that authenticator apps show: RFC 6238 over SHA-1, written here anew.
enum TimedCode {
  /// The code of a base 32 secret at a step of thirty seconds.
  static func code(secret: String, step: UInt64) -> String {
    let counter = withUnsafeBytes(of: step.bigEndian) { Array($0) }
    let digest = hmac(key: base32(secret), message: counter)
    let offset = Int(digest[19] & 15)
    let number = digest[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return String(format: "%06d", (number & 0x7FFF_FFFF) % 1_000_000)
  }

  static func step(_ date: Date = Date()) -> UInt64 { UInt64(date.timeIntervalSince1970) / 30 }

  private static func base32(_ text: String) -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    var bits: UInt64 = 0
    var count = 0
    var bytes: [UInt8] = []
    for letter in text {
      guard let value = alphabet.firstIndex(of: letter) else { continue }
      bits = (bits << 5 | UInt64(value)) & 0xFFFF
      count += 5
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(count)))
      }
    }
    return bytes
  }

  private static func hmac(key: [UInt8], message: [UInt8]) -> [UInt8] {
    let block = key + [UInt8](repeating: 0, count: 64 - key.count)
    let inner = sha1(block.map { $0 ^ 0x36 } + message)
    return sha1(block.map { $0 ^ 0x5C } + inner)
  }

  private static func sha1(_ message: [UInt8]) -> [UInt8] {
    var padded = message + [0x80]
    padded += [UInt8](repeating: 0, count: (120 - padded.count % 64) % 64)
    padded += withUnsafeBytes(of: UInt64(message.count * 8).bigEndian) { Array($0) }
    var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    for start in stride(from: 0, to: padded.count, by: 64) {
      mix(Array(padded[start..<start + 64]), into: &state)
    }
    return state.flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
  }

  private static func mix(_ block: [UInt8], into state: inout [UInt32]) {
    var words = (0..<16).map { index in
      block[index * 4..<index * 4 + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    for index in 16..<80 {
      let word = words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]
      words.append(rotate(word, 1))
    }
    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    for (round, word) in words.enumerated() {
      let (mixed, constant): (UInt32, UInt32) =
        switch round {
        case ..<20: ((b & c) | (~b & d), 0x5A82_7999)
        case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
        case ..<60: ((b & c) | (b & d) | (c & d), 0x8F1B_BCDC)
        default: (b ^ c ^ d, 0xCA62_C1D6)
        }
      let next = rotate(a, 5) &+ mixed &+ e &+ constant &+ word
      (a, b, c, d, e) = (next, a, rotate(b, 30), c, d)
    }
    for (index, value) in [a, b, c, d, e].enumerated() { state[index] &+= value }
  }

  private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word << count | word >> (32 - count)
  }
}
