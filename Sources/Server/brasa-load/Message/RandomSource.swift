/// SplitMix64: small, fast and the same everywhere for the same seed.
struct RandomSource: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number below `bound`.
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(bound, 1))) }

  /// A document id as clients make them: 20 letters and digits.
  mutating func documentID() -> String {
    let alphabet = Self.alphabet
    return String(unsafeUninitializedCapacity: 20) { bytes in
      for index in 0..<20 { bytes[index] = alphabet[below(alphabet.count)] }
      return 20
    }
  }

  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8
  )
}
