import BaseText
import FirestoreModel
import Testing

@testable import SecurityRules

/// One request of a scenario and its verdict.
struct Step: Sendable {
  let operation: Operation
  let expected: Bool

  init(
    _ expected: Bool,
    _ method: RulesMethod,
    _ path: String,
    by user: Text?,
    _ change: Value? = nil,
    claims: Value = [:],
    time: Timestamp = noon2026
  ) {
    operation = Operation(
      method: method,
      path: path,
      user: user,
      claims: claims,
      change: change,
      time: time
    )
    self.expected = expected
  }
}

struct ScenarioTests {
  private func run(_ rules: String, _ documents: Documents, _ steps: [Step]) throws {
    let ruleset = try compile(firestoreRules(rules))
    #expect(ruleset.warnings.isEmpty)
    for step in steps {
      var store = documents
      if let change = step.operation.change {
        store.changes[step.operation.path] = .some(fields(change))
      }
      let decision = try RulesSession(ruleset, store).evaluate(step.operation, in: store)
      #expect(decision.isAllowed == step.expected, "\(step.operation): \(decision.explanation)")
    }
  }

  /// A commit of several writes: allowed when every write is.
  private func commit(
    _ rules: String,
    _ documents: Documents,
    user: Text,
    _ writes: [(RulesMethod, String, Value?)]
  ) throws -> Bool {
    var store = documents
    for write in writes { store.changes.updateValue(write.2.map(fields), forKey: write.1) }
    let session = RulesSession(try compile(firestoreRules(rules)), store, isMultiple: true)
    return try writes.allSatisfy { write in
      let operation = Operation(method: write.0, path: write.1, user: user, change: write.2)
      return try session.evaluate(operation, in: store).isAllowed
    }
  }

  private func isListed(
    _ rules: String,
    _ documents: Documents,
    user: Text?,
    _ query: Query,
    claims: Value = [:]
  ) throws -> Bool {
    try RulesSession(try compile(firestoreRules(rules)), documents).prove(
      query.normalized(),
      database: testDatabase,
      auth: auth(user, claims),
      time: noon2026
    ).isAllowed
  }

  @Test func `products belong to their owners`() throws {
    let rules = """
      match /products/{id} {
        allow read, delete: if request.auth != null && resource.data.ownerId == request.auth.uid;
        allow create: if request.auth != null && request.resource.data.ownerId == request.auth.uid;
        allow update: if request.auth != null && resource.data.ownerId == request.auth.uid
          && request.resource.data.ownerId == resource.data.ownerId;
      }
      """
    let documents = Documents(["products/a": ["ownerId": "alice", "n": 1]])
    try run(
      rules,
      documents,
      [
        Step(true, .get, "products/a", by: "alice"), Step(false, .get, "products/a", by: "bob"),
        Step(false, .get, "products/a", by: nil), Step(false, .get, "products/none", by: "alice"),
        Step(true, .update, "products/a", by: "alice", ["ownerId": "alice", "n": 2]),
        Step(false, .update, "products/a", by: "alice", ["ownerId": "bob"]),
        Step(false, .update, "products/a", by: "bob", ["ownerId": "bob"]),
        Step(true, .create, "products/b", by: "bob", ["ownerId": "bob"]),
        Step(false, .create, "products/b", by: "bob", ["ownerId": "alice"]),
        Step(false, .create, "products/b", by: nil, ["ownerId": "bob"]),
        Step(true, .delete, "products/a", by: "alice"),
        Step(false, .delete, "products/a", by: "bob"),
        Step(false, .get, "others/a", by: "alice"),
      ]
    )
    var mine = Query(scope: .collection("products"))
    #expect(try !isListed(rules, documents, user: "alice", mine))
    mine.filter = f("ownerId", "==", "alice")
    #expect(try isListed(rules, documents, user: "alice", mine))
    #expect(try !isListed(rules, documents, user: "bob", mine))
  }

  @Test func `roles by document`() throws {
    let rules = """
      match /stories/{story} {
        function role() { return resource.data.roles[request.auth.uid]; }
        allow read: if role() in ['owner', 'writer', 'reader'];
        allow create: if request.resource.data.roles[request.auth.uid] == 'owner';
        allow update: if role() == 'owner' || (role() == 'writer'
          && request.resource.data.diff(resource.data).affectedKeys().hasOnly(['content']));
        match /comments/{comment} {
          function parentRole() {
            return get(/databases/$(database)/documents/stories/$(story)).data.roles[request.auth.uid];
          }
          allow read: if parentRole() in ['owner', 'writer', 'reader'];
          allow create: if parentRole() in ['owner', 'writer', 'reader']
            && request.resource.data.user == request.auth.uid;
        }
      }
      """
    let roles: Value = ["alice": "owner", "wanda": "writer", "rita": "reader"]
    let changed: Value = ["alice": "owner", "wanda": "owner", "rita": "reader"]
    let documents = Documents(["stories/s": ["roles": roles, "content": "a"]])
    try run(
      rules,
      documents,
      [
        Step(true, .get, "stories/s", by: "alice"), Step(true, .get, "stories/s", by: "rita"),
        Step(false, .get, "stories/s", by: "eve"), Step(false, .get, "stories/s", by: nil),
        Step(true, .update, "stories/s", by: "wanda", ["roles": roles, "content": "b"]),
        Step(false, .update, "stories/s", by: "wanda", ["roles": changed, "content": "a"]),
        Step(false, .update, "stories/s", by: "rita", ["roles": roles, "content": "b"]),
        Step(true, .create, "stories/t", by: "eve", ["roles": ["eve": "owner"]]),
        Step(false, .create, "stories/t", by: "eve", ["roles": ["alice": "owner"]]),
        Step(true, .create, "stories/s/comments/c", by: "rita", ["user": "rita"]),
        Step(false, .create, "stories/s/comments/c", by: "rita", ["user": "alice"]),
        Step(false, .create, "stories/s/comments/c", by: "eve", ["user": "eve"]),
      ]
    )
    var stories = Query(scope: .collection("stories"))
    #expect(try !isListed(rules, documents, user: "alice", stories))
    stories.filter = f("roles.alice", "in", ["owner", "writer"])
    #expect(try isListed(rules, documents, user: "alice", stories))
    stories.filter = f("roles.alice", "==", "owner")
    #expect(try isListed(rules, documents, user: "alice", stories))
    let comments = Query(parent: path("stories/s"), scope: .collection("comments"))
    #expect(try isListed(rules, documents, user: "rita", comments))
    #expect(try !isListed(rules, documents, user: "eve", comments))
  }

  @Test func `posting at most once a minute`() throws {
    let rules = """
      match /users/{uid} {
        allow write: if request.auth.uid == uid && request.resource.data.last == request.time;
      }
      match /posts/{post} {
        function user() { return /databases/$(database)/documents/users/$(request.auth.uid); }
        allow create: if request.time > get(user()).data.last + duration.value(60, 's')
          && getAfter(user()).data.last == request.time
          && request.resource.data.createdAt == request.time;
      }
      """
    let old = Value.timestamp(Timestamp(microseconds: noon2026.microseconds - 61_000_000))
    let recent = Value.timestamp(Timestamp(microseconds: noon2026.microseconds - 59_000_000))
    let now = Value.timestamp(noon2026)
    let post: (RulesMethod, String, Value?) = (.create, "posts/p", ["createdAt": now])
    let stamp: (RulesMethod, String, Value?) = (.update, "users/alice", ["last": now])
    let rested = Documents(["users/alice": ["last": old]])
    #expect(try !commit(rules, rested, user: "alice", [post]))
    #expect(try commit(rules, rested, user: "alice", [post, stamp]))
    let busy = Documents(["users/alice": ["last": recent]])
    #expect(try !commit(rules, busy, user: "alice", [post, stamp]))
    let backdated: (RulesMethod, String, Value?) = (.create, "posts/p", ["createdAt": old])
    #expect(try !commit(rules, rested, user: "alice", [backdated, stamp]))
  }

  @Test func `validated documents`() throws {
    let rules = """
      match /items/{id} {
        function isValid(d) {
          return d.keys().hasAll(['name', 'price', 'owner'])
            && d.keys().hasOnly(['name', 'price', 'owner', 'tags'])
            && d.name is string && d.name.size() > 0 && d.name.size() <= 20
            && d.price is number && d.price >= 0
            && (!('tags' in d) || (d.tags is list && d.tags.size() <= 3));
        }
        allow create: if isValid(request.resource.data)
          && request.resource.data.owner == request.auth.uid;
        allow update: if isValid(request.resource.data) && resource.data.owner == request.auth.uid
          && request.resource.data.owner == resource.data.owner;
        allow delete: if resource.data.owner == request.auth.uid;
        allow list: if request.query.limit <= 20;
      }
      """
    let good: Value = ["name": "a", "price": 1, "owner": "alice"]
    let documents = Documents(["items/a": good])
    func create(_ expected: Bool, _ value: Value) -> Step {
      Step(expected, .create, "items/b", by: "alice", value)
    }
    try run(
      rules,
      documents,
      [
        create(true, good),
        create(true, ["name": "a", "price": 1.5, "owner": "alice", "tags": ["x"]]),
        create(false, ["name": "a", "price": "1", "owner": "alice"]),
        create(false, ["name": "a", "price": 1, "owner": "alice", "extra": 1]),
        create(false, ["name": "a", "owner": "alice"]),
        create(false, ["name": "a", "price": 1, "owner": "alice", "tags": ["1", "2", "3", "4"]]),
        create(false, ["name": "a", "price": -1, "owner": "alice"]),
        Step(true, .update, "items/a", by: "alice", ["name": "b", "price": 2, "owner": "alice"]),
        Step(false, .update, "items/a", by: "alice", ["name": "b", "owner": "alice"]),
        Step(false, .update, "items/a", by: "alice", ["name": "b", "price": 2, "owner": "bob"]),
        Step(false, .update, "items/a", by: "bob", good),
        Step(true, .delete, "items/a", by: "alice"), Step(false, .delete, "items/z", by: "alice"),
      ]
    )
    for (limit, expected) in [(20, true), (21, false), (nil, false)] {
      var query = Query(scope: .collection("items"))
      query.limit = limit
      #expect(try isListed(rules, documents, user: "alice", query) == expected)
    }
  }

  @Test func `tenants by claim`() throws {
    let rules = """
      match /tenants/{tenant}/{rest=**} {
        allow read, write: if request.auth.token.tenant == tenant
          || request.auth.token.get('admin', false) == true;
      }
      """
    let documents = Documents(["tenants/t1": [:], "tenants/t1/a/b": [:]])
    try run(
      rules,
      documents,
      [
        Step(true, .get, "tenants/t1", by: "u", claims: ["tenant": "t1"]),
        Step(true, .get, "tenants/t1/a/b", by: "u", claims: ["tenant": "t1"]),
        Step(false, .get, "tenants/t2/a/b", by: "u", claims: ["tenant": "t1"]),
        Step(true, .get, "tenants/t2/a/b", by: "u", claims: ["admin": true]),
        Step(false, .get, "tenants/t1", by: nil),
      ]
    )
    let own: Value = ["tenant": "t1"]
    let inside = Query(parent: path("tenants/t1"), scope: .collection("a"))
    #expect(try isListed(rules, documents, user: "u", inside, claims: own))
    let group = Query(parent: path("tenants/t1"), scope: .collectionGroup("a"))
    #expect(try isListed(rules, documents, user: "u", group, claims: own))
    let tenants = Query(scope: .collection("tenants"))
    #expect(try !isListed(rules, documents, user: "u", tenants, claims: own))
  }

  @Test func `likes are counted with the like`() throws {
    let rules = """
      match /posts/{post} {
        function like() { return /databases/$(database)/documents/posts/$(post)/likes/$(request.auth.uid); }
        allow update: if request.resource.data.diff(resource.data).affectedKeys().hasOnly(['likes'])
          && ((request.resource.data.likes == resource.data.likes + 1
              && !exists(like()) && existsAfter(like()))
            || (request.resource.data.likes == resource.data.likes - 1
              && exists(like()) && !existsAfter(like())));
        match /likes/{uid} {
          function post() { return /databases/$(database)/documents/posts/$(post); }
          allow create: if uid == request.auth.uid
            && getAfter(post()).data.likes == get(post()).data.likes + 1;
          allow delete: if uid == request.auth.uid
            && getAfter(post()).data.likes == get(post()).data.likes - 1;
        }
      }
      """
    let fresh = Documents(["posts/p": ["likes": 1]])
    let liked = Documents(["posts/p": ["likes": 2], "posts/p/likes/alice": [:]])
    let like: (RulesMethod, String, Value?) = (.create, "posts/p/likes/alice", [:])
    let up: (RulesMethod, String, Value?) = (.update, "posts/p", ["likes": 2])
    #expect(try commit(rules, fresh, user: "alice", [like, up]))
    #expect(try !commit(rules, fresh, user: "alice", [up]))
    #expect(try !commit(rules, fresh, user: "alice", [like]))
    let again: (RulesMethod, String, Value?) = (.update, "posts/p", ["likes": 3])
    #expect(try !commit(rules, liked, user: "alice", [again]))
    let unlike: (RulesMethod, String, Value?) = (.delete, "posts/p/likes/alice", nil)
    let down: (RulesMethod, String, Value?) = (.update, "posts/p", ["likes": 1])
    #expect(try commit(rules, liked, user: "alice", [unlike, down]))
  }
}
