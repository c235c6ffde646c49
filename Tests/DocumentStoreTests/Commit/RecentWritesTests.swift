import BaseText
import FirestoreModel
import Testing

@testable import DocumentStore

@Suite struct RecentWritesTests {
  private func key(_ number: Int) -> [UInt8] {
    DocumentKey(ResourcePath(["a", Text("x\(number)")]), in: 1).bytes
  }

  @Test func `a document is touched from the group that writes it on`() {
    let writes = RecentWrites()
    let before = writes.landed
    #expect(writes.isUntouched(key(1), since: before))
    writes.note(key(1))
    #expect(!writes.isUntouched(key(1), since: before))
    writes.groupLanded()
    #expect(!writes.isUntouched(key(1), since: before))
    #expect(writes.isUntouched(key(1), since: writes.landed))
    #expect(writes.isUntouched(key(2), since: before))
  }

  /// Against a plain record of everything, over many generations.
  @Test func `nothing that was written is ever taken for untouched`() {
    let writes = RecentWrites(capacity: 8)
    var last: [Int: UInt64] = [:]
    var random = RandomSource(seed: 7)
    var known = 0
    for group in 1...UInt64(300) {
      for _ in 0..<random.below(7) {
        let number = random.below(20)
        writes.note(key(number))
        last[number] = group
      }
      writes.groupLanded()
      for number in 0..<20 {
        for age in 0..<UInt64(6) where age < group {
          let moment = group - age
          if writes.isUntouched(key(number), since: moment) {
            #expect((last[number] ?? 0) <= moment, "document \(number), group \(group), age \(age)")
            known += 1
          }
        }
      }
    }
    #expect(known > 5_000)
  }
}
