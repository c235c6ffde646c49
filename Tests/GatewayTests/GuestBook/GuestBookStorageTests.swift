import Access
import BaseStatus
import DocumentStore
import FirestoreModel
import KeyValueStore
import ServiceModule
import Testing

/// Tests that a service's storage joins the program as one value, and nothing else.
@Suite struct GuestBookStorageTests {
  private static let ana = Greeting(guest: "ana", text: "olá")
  private static let nobody = Greeting(guest: "", text: "boo")

  private static func withScope(_ body: (StorageScope) throws -> Void) throws {
    let databases = try Databases(engine: MemoryEngine(), configuration: StoreConfiguration())
    defer { databases.close() }
    let permit = AccessControl.administratorPermit(atRest: databases)
    try body(StorageScope(permit: permit, database: DatabaseID(project: "p")))
  }

  @Test func `its check is part of every verification`() throws {
    let book = GuestBook()
    book.write(Self.ana)
    book.write(Self.nobody)
    let services = try StoredServices([ServiceStorage("silent"), book.storage])
    try Self.withScope { scope in
      var events: [StorageEvent] = []
      let found = try services.verify(StorageCheckScope(permit: scope.permit)) { events.append($0) }
      #expect(events == [.difference("guest book: nobody wrote boo")])
      #expect(found.differences == 1)
      #expect(found.counts == [StorageCount(2, "greeting")])
    }
  }

  @Test func `its data go out by name and come back`() throws {
    let book = GuestBook()
    book.write(Self.ana)
    let services = try StoredServices([book.storage])
    #expect(services.transferNames == ["guests"])
    try Self.withScope { scope in
      var items: [StorageItem] = []
      let gone = try services.exportItems(of: "guests", scope: scope, tell: Self.ignore) {
        items.append($0)
      }
      #expect(gone == StorageCount(1, "greeting"))
      #expect(items.map(\.file) == ["book"])
      let other = GuestBook()
      let others = try StoredServices([other.storage])
      var lines = items.map(\.bytes).makeIterator()
      let count = try others.importItems(of: "guests", scope: scope, next: { lines.next() }) {
        try Self.ignore($0)
      }
      #expect(count == gone)
      #expect(other.greetings == [Self.ana])
    }
  }

  @Test func `data of an unknown name are refused with the names there are`() throws {
    let services = try StoredServices([GuestBook().storage])
    try Self.withScope { scope in
      let error = #expect(throws: ServiceError.self) {
        try services.importItems(of: "hosts", scope: scope, next: { nil }, tell: Self.ignore)
      }
      #expect(error?.code == .invalidArgument)
      #expect(error?.message == "There is no kind of data hosts. Kinds: guests.")
    }
  }

  @Test func `its maintenance goes on beside one that fails`() throws {
    let book = GuestBook()
    for number in 1...102 { book.write(Greeting(guest: "\(number)", text: "")) }
    var broken = ServiceStorage("broken")
    broken.maintenance = { throw ServiceError(.internalError, "no") }
    let services = try StoredServices([broken, book.storage])
    var failures: [String] = []
    #expect(services.maintain { name, _ in failures.append(name) })
    #expect(!services.maintain { name, _ in failures.append(name) })
    #expect(failures == ["broken", "broken"])
    #expect(book.greetings.first?.guest == "3")
    #expect(throws: ServiceError.self) { try services.maintain() }
  }

  @Test func `two services of one name do not start`() {
    #expect(throws: ServiceError.self) {
      try StoredServices([GuestBook().storage, GuestBook().storage])
    }
  }

  private static func ignore(_ event: StorageEvent) throws {}
}
