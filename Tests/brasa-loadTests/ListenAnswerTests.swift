import DocumentCodec
import Testing

@testable import brasa_load

@Suite struct ListenAnswerTests {
  private func read(_ body: (inout ProtobufWriter) -> Void) -> ListenAnswer? {
    var writer = ProtobufWriter()
    body(&writer)
    return writer.bytes.withUnsafeBytes { ListenAnswer($0, keepsTokens: true) }
  }

  @Test func `a change tells its commit's number and how many targets it is for`() {
    let answer = read { response in
      response.message(3) { change in
        change.message(1) { document in
          document.string(1, "projects/p/databases/d/documents/c/x")
          document.message(2) { entry in
            entry.string(1, "name")
            entry.message(2) { $0.string(17, "n") }
          }
          document.message(2) { entry in
            entry.string(1, "n")
            entry.message(2) { $0.int64(2, 1_234_567) }
          }
        }
        change.content(5, [1, 0x80, 0x01, 3])
        change.varint(5, 7)
      }
    }
    guard case .change(let number, let targets) = answer else {
      Issue.record("\(String(describing: answer))")
      return
    }
    #expect(number == 1_234_567)
    #expect(targets == 4)
  }

  @Test func `a change that only takes from targets is a removal`() {
    let answer = read { response in
      response.message(3) { $0.content(6, [1]) }
    }
    guard case .removal = answer else {
      Issue.record("\(String(describing: answer))")
      return
    }
  }

  @Test func `the point of consistency has no targets, and carries the token`() {
    let all = read { $0.message(2) { $0.content(4, [9, 8]) } }
    guard case .consistent(let token) = all else {
      Issue.record("\(String(describing: all))")
      return
    }
    #expect(token == [9, 8])
    let one = read { $0.message(2) { $0.content(2, [1]) } }
    guard case .other = one else {
      Issue.record("\(String(describing: one))")
      return
    }
  }

  @Test func `a removed target says why`() {
    let answer = read { response in
      response.message(2) { change in
        change.varint(1, 2)
        change.content(2, [0x85, 0x02])
        change.message(3) { status in
          status.varint(1, 7)
          status.string(2, "denied")
        }
      }
    }
    guard case .removed(let target, let cause) = answer else {
      Issue.record("\(String(describing: answer))")
      return
    }
    #expect(target == 261)
    #expect(cause == "code 7: denied")
  }

  @Test func `bytes that are no message are told apart`() {
    let bytes: [UInt8] = [0x12, 0x05, 0x08]
    #expect(bytes.withUnsafeBytes { ListenAnswer($0, keepsTokens: false) } == nil)
  }
}
