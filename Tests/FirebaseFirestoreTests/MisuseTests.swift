import FirebaseFirestore
import Foundation
import Testing

/// Tests of the calls that trap and of those that throw instead, with the same text.
@Suite(.timeLimit(.minutes(10)))
struct MisuseTests {
  @Test(arguments: Misuse.allCases)
  func `a misuse traps with its text, and its twin throws it`(_ misuse: Misuse) async throws {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) { [misuse] in
      try await misuse.perform()
    }
    let log = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(log.contains(misuse.text), "\(log.suffix(600))")
    #expect(await Self.thrown(by: misuse) == misuse.text)
  }

  private static func thrown(by misuse: Misuse) async -> String? {
    do {
      try await misuse.check()
      return nil
    } catch {
      let error = error as NSError
      return error.domain == FirestoreErrorDomain ? error.localizedDescription : "\(error)"
    }
  }
}
