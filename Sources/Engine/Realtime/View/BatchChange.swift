import DocumentStore
import FirestoreModel

/// One document over a whole batch of commits: as the commits found it and as they left it.
struct BatchChange {
  let old: DocumentRecord?
  let document: SharedDocument

  var path: ResourcePath { document.name.path }
  var new: DocumentRecord? { document.record }
}
