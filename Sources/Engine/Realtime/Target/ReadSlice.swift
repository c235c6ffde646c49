import DocumentStore

/// The amount that is read in one go, so that no job waits long for the thread and nothing is read
/// on for a stream that is gone.
struct ReadSlice: Sendable {
  /// Entries and documents that are looked at, about.
  let steps: Int
  /// Bytes of documents that one part carries, about.
  let bytes: Int
}
