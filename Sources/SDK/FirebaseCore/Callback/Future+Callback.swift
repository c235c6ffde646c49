#if canImport(Combine)
import Combine

extension Future where Failure == any Error {
  /// A future of what a call hands to its callback: a value or an error.
  package convenience init(
    ofValue call: @escaping (@escaping (Output?, (any Error)?) -> Void) -> Void
  ) {
    self.init { promise in
      call { value, error in
        if let value {
          promise(.success(value))
        } else if let error {
          promise(.failure(error))
        }
      }
    }
  }
}

extension Future where Output == Void, Failure == any Error {
  /// A future of a call whose callback is handed an error or nothing.
  package convenience init(ofEnd call: @escaping (@escaping ((any Error)?) -> Void) -> Void) {
    self.init { promise in
      call { error in promise(error.map { .failure($0) } ?? .success(())) }
    }
  }
}
#endif
