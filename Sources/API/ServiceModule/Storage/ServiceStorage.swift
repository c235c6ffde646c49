import Access

/// The data of a service in the data directory, as the program sees it: its maintenance,
/// verification, export and import.
///
/// It needs no port, so a service has it beside its `ServiceModule`: the commands work on a directory that no
/// server has open as well. The composition root lists the values; `StoredServices` does what the server and
/// the commands ask of all of them. Parts that a service has no use for stay nil.
package struct ServiceStorage: Sendable {
  /// Does one step of background work, such as sweeping, and returns true if more can be done at
  /// once.
  ///
  /// One thread at a time calls it. A step may touch the disk; it should take some milliseconds at most.
  package typealias Maintenance = @Sendable () throws -> Bool
  /// Recomputes derived data and compares it with the stored data; changes nothing.
  ///
  /// Works beside others who write: it looks at one version of everything. Reports progress and
  /// each difference, and returns the number of checked items.
  package typealias Check =
    @Sendable (
      _ scope: StorageCheckScope,
      _ tell: (StorageEvent) throws -> Void
    ) throws -> [StorageCount]

  /// Names the service in logs and before its differences; no two have one name.
  package let name: String
  /// One step of the service's maintenance; nil where nothing has to be swept.
  package var maintenance: Maintenance?
  /// The service's part of `brasa verify`; nil where nothing can be checked.
  package var check: Check?
  /// The kinds of data that can be exported and imported, each by itself.
  package var transfers: [StorageTransfer] = []

  /// The storage of a service of that name, of which nothing is said yet.
  package init(_ name: String) { self.name = name }
}

/// The extent of a verification, and the right to it.
package struct StorageCheckScope: Sendable {
  /// The right to read everything.
  package let permit: AdministratorPermit
  /// The interval at which costly content, such as the bytes of files, is sampled: one in so many
  /// is read; nil reads all.
  package var sample: Int?

  /// A verification of everything, or of a sample.
  package init(permit: AdministratorPermit, sample: Int? = nil) {
    self.permit = permit
    self.sample = sample
  }
}

/// A report of long work on stored data during the work.
package enum StorageEvent: Sendable, Equatable {
  /// The progress of the work, in units of that name; the total is nil while it is not known.
  case progress(done: Int, total: Int?, unit: String)
  /// Something that is stored otherwise than it should be, or an item that an import left out.
  case difference(String)
  /// Something that an export does not have, as a sentence for people; `secret` names the kind that has it under a
  /// passphrase.
  case omission(String, secret: String? = nil)
}

/// A number of items, in words for people.
package struct StorageCount: Sendable, Equatable {
  /// The number of items, which decides between `unit` and `plural`.
  package var number: Int
  /// The name of one item: `document`.
  package let unit: String
  /// The name of several items; nil adds an s.
  package let plural: String?
  /// Items of an import beside those, which were there already and stayed as they were.
  package var skipped = 0

  /// So many of a unit.
  package init(_ number: Int, _ unit: String, plural: String? = nil, skipped: Int = 0) {
    self.number = number
    self.unit = unit
    self.plural = plural
    self.skipped = skipped
  }
}
