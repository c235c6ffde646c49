import ModelTestSupport
import Testing

@testable import EventAnalytics

/// Sets of users do what sets of numbers do.
@Suite struct UserSetTests {
  /// Numbers of one of the shapes that blocks have: few, many, runs, several blocks.
  private static func numbers(_ source: inout SeededSource) -> [UInt32] {
    let spread = [300, 9_000, 70_000, 200_000].randomElement(using: &source) ?? 300
    let count = Int.random(
      in: 0...[5, 400, 6_000, 30_000][Int.random(in: 0...3, using: &source)],
      using: &source
    )
    if Bool.random(using: &source) {
      let start = UInt32.random(in: 0..<UInt32(spread), using: &source)
      return (0..<UInt32(count)).map { start + $0 }
    }
    return (0..<count).map { _ in UInt32.random(in: 0..<UInt32(spread), using: &source) }
  }

  @Test(arguments: 0..<40) func `operations give what plain sets give`(seed: UInt64) throws {
    var source = SeededSource(seed: seed)
    let (left, right) = (Self.numbers(&source), Self.numbers(&source))
    let (a, b) = (UserSet(left), UserSet(right))
    let (plainA, plainB) = (Set(left), Set(right))
    #expect(a.numbers == plainA.sorted())
    #expect(a.count == plainA.count)
    var union = a
    union.formUnion(b)
    #expect(union.numbers == plainA.union(plainB).sorted())
    #expect(union == UserSet(left + right))
    #expect(a.intersection(b).numbers == plainA.intersection(plainB).sorted())
    #expect(a.intersectionCount(b) == plainA.intersection(plainB).count)
    #expect(a.subtracting(b).numbers == plainA.subtracting(plainB).sorted())
    for number in (left + right).prefix(200) {
      #expect(b.contains(number) == plainB.contains(number))
    }
    #expect(try Self.stored(a) == a)
    #expect(try Self.stored(union) == union)
  }

  @Test(arguments: 0..<40) func `a union of stored sets is that of their numbers`(
    seed: UInt64
  ) throws {
    var source = SeededSource(seed: seed)
    var union = UserUnion()
    var plain: Set<UInt32> = []
    for _ in 0..<Int.random(in: 0...6, using: &source) {
      let numbers = Self.numbers(&source)
      plain.formUnion(numbers)
      var writer = ByteWriter()
      UserSet(numbers).write(to: &writer)
      var reader = ByteReader(writer.bytes)
      try union.add(from: &reader)
    }
    #expect(union.users == UserSet(plain.sorted()))
  }

  private static func stored(_ set: UserSet) throws -> UserSet {
    var writer = ByteWriter()
    set.write(to: &writer)
    var reader = ByteReader(writer.bytes)
    return try UserSet(from: &reader)
  }

  @Test func `neighbours are stored in a few bytes`() {
    var writer = ByteWriter()
    UserSet((1...50_000).map { $0 }).write(to: &writer)
    #expect(writer.bytes.count < 12)
  }

  @Test(arguments: 0..<200) func `damaged bytes are refused or read as a set`(seed: UInt64) throws {
    var source = SeededSource(seed: seed)
    var writer = ByteWriter()
    UserSet(Self.numbers(&source)).write(to: &writer)
    var bytes = Array(writer.bytes.prefix(2_000))
    guard !bytes.isEmpty else { return }
    for _ in 0..<3 {
      bytes[Int.random(in: 0..<bytes.count, using: &source)] = UInt8.random(
        in: 0...255,
        using: &source
      )
    }
    var reader = ByteReader(bytes)
    if let set = try? UserSet(from: &reader) { #expect(set.numbers.count == set.count) }
  }
}
