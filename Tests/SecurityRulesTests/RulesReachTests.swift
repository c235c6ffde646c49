import Testing

@testable import SecurityRules

/// To whom a ruleset could allow anything at all, told without a request.
struct RulesReachTests {
  private static let functions = """
    function signedIn() { return request.auth != null; }
    function isUser(uid) { return signedIn() && request.auth.uid == uid; }
    function role() { let found = get(/databases/d/documents/users/$(request.auth.uid)).data;
      return found.role; }
    """

  /// A condition, and whether it may hold for who is signed in, and for others.
  @Test(arguments: [
    ("true", true, true),
    ("false", false, false),
    ("null", false, false),
    ("'x'", false, false),
    ("1 == 1 && false", false, false),
    ("request.auth != null", true, false),
    ("request.auth == null", false, true),
    ("!(request.auth == null)", true, false),
    ("request.auth.uid == resource.data.owner", true, false),
    ("request.auth.uid != null || resource == null", true, true),
    ("request.auth.uid != null && resource == null", true, false),
    ("request.auth.uid != null || false", true, false),
    ("(request.auth != null) ? resource.data.open : false", true, false),
    ("request.auth == null ? false : resource.data.open", true, false),
    ("request.auth == null ? resource.data.open : false", false, true),
    ("resource.data.n > 3 ? request.auth.uid == 'a' : signedIn()", true, false),
    ("resource.data.open", true, true),
    ("resource.data.owner in [null, 'a']", true, true),
    ("request.auth.token.admin == true", true, false),
    ("request.auth.uid.size() > 3", true, false),
    ("request.auth is map", true, true),
    ("[request.auth.uid].hasAny(['a'])", true, false),
    ("{'a': request.auth.uid}.a == 'a'", true, false),
    ("exists(/databases/d/documents/users/$(request.auth.uid))", true, false),
    ("signedIn()", true, false),
    ("!signedIn()", false, true),
    ("isUser('a')", true, false),
    ("isUser('a') || resource.data.open", true, true),
    ("role() == 'admin'", true, false),
    ("role() == 'admin' || true", true, true),
    ("unknown == 1", false, false),
  ])
  func `what needs a user allows nothing to others`(
    condition: String,
    signedIn: Bool,
    others: Bool
  ) throws {
    let source = firestoreRules(
      Self.functions + "match /c/{id} { allow read: if \(condition); allow write: if false; }"
    )
    let ruleset = try RulesCompiler.compile(SourceText(source, fileName: "r"))
    #expect(ruleset.mayAllowAnything(isSignedIn: true) == signedIn)
    #expect(ruleset.mayAllowAnything(isSignedIn: false) == others)
  }

  @Test func `one statement that could allow is enough, and rules of files count not`() throws {
    func reach(_ source: String) throws -> [Bool] {
      let ruleset = try RulesCompiler.compile(SourceText(source, fileName: "r"))
      return [true, false].map { ruleset.mayAllowAnything(isSignedIn: $0) }
    }
    let denied = "match /{any=**} { allow read, write: if false; }"
    #expect(try reach(firestoreRules(denied)) == [false, false])
    #expect(
      try reach(firestoreRules(denied + "match /news/{id} { allow get; }")) == [true, true]
    )
    let files = "service firebase.storage { match /{any=**} { allow read; } }"
    #expect(try reach(firestoreRules(denied) + files) == [false, false])
  }
}
