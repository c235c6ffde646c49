import FirestoreModel
import Testing

@testable import SecurityRules

/// Bounds that hold for release builds; debug builds only run the code.
struct SpeedTests {
  private static let batches = 40
  private static let batch = 500

  @Test func `the seed's read rule takes at most two microseconds`() throws {
    let ruleset = try compile(
      firestoreRules(
        """
        match /products/{id} {
          allow read: if request.auth != null && resource.data.ownerId == request.auth.uid;
        }
        """
      )
    )
    let store = Documents(["products/a": ["ownerId": "alice", "name": "n", "price": 1]])
    var request = RulesRequest(
      method: .get,
      path: ["databases", "(default)", "documents", "products", "a"],
      auth: auth("alice"),
      time: noon2026
    )
    request.resource = RulesMap(
      Documents.document(path("products/a"), store.before["products/a"] ?? MapValue())
    )
    let session = RulesSession(ruleset, store)
    var allowed = 0
    // The best of many batches: other tests run at the same time.
    let times = try (0..<Self.batches).map { _ in
      try ContinuousClock().measure {
        for _ in 0..<Self.batch where try session.evaluate(request).isAllowed { allowed += 1 }
      }
    }
    #expect(allowed == Self.batches * Self.batch)
    let best = (times.min() ?? .zero) / Self.batch
    print("one evaluation of the read rule:", best)
    #if !DEBUG
    #expect(best < .microseconds(2))
    #endif
  }

  @Test func `a thousand lines compile within fifty milliseconds`() throws {
    let block = { (index: Int) in
      """
      match /c\(index)/{id} {
        function mine\(index)() { return request.auth != null && resource.data.o == request.auth.uid; }
        allow read: if mine\(index)() || resource.data.public == true;
        allow create: if request.resource.data.keys().hasOnly(['o', 'public', 'name'])
          && request.resource.data.o == request.auth.uid && request.resource.data.name is string
          && request.resource.data.name.size() <= 100 && request.resource.data.name.matches('[a-z]+');
        allow update: if mine\(index)() && request.resource.data.o == resource.data.o
          && get(/databases/$(database)/documents/users/$(request.auth.uid)).data.active == true;
        allow delete: if mine\(index)();
      }
      """
    }
    let source = SourceText(firestoreRules((0..<100).map(block).joined(separator: "\n")))
    let time = try ContinuousClock().measure { _ = try RulesCompiler.compile(source) }
    print("compiling a thousand lines:", time)
    #if !DEBUG
    #expect(time < .milliseconds(50))
    #endif
  }
}
