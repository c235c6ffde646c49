/// The source of secrets.
package struct RandomBytes: Sendable {
  private let fill: @Sendable (Int) -> [UInt8]

  /// A source that gives as many bytes as it is asked for.
  package init(_ fill: @escaping @Sendable (Int) -> [UInt8]) { self.fill = fill }

  /// That many bytes.
  package func bytes(_ count: Int) -> [UInt8] { fill(count) }

  /// The operating system's source.
  package static let system = RandomBytes { count in
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  /// A new uid: 28 letters and digits, 166 bits.
  func uid() -> String { text(28) }

  /// That many letters and digits, each as likely as the others.
  func text(_ count: Int) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    var result: [UInt8] = []
    while result.count < count {
      for byte in bytes(count) where byte < 248 && result.count < count {
        result.append(alphabet[Int(byte) % alphabet.count])
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
