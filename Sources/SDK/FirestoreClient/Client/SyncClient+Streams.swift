import FirestoreSync

// The streams that the engine requests: at most one of each, with the credentials of the signed-in
// user.

extension SyncClient {
  /// Fetches credentials and continues with them, on the client's queue.
  private func withCredentials(
    _ body: @escaping @Sendable (isolated SyncClient, Result<CallCredentials, any Error>) -> Void
  ) -> Task<Void, Never> {
    let isForced = needsNewCredentials
    needsNewCredentials = false
    let source = configuration.credentials
    return Task {
      let result: Result<CallCredentials, any Error>
      do {
        result = .success(try await source.credentials(forcingRefresh: isForced))
      } catch {
        result = .failure(error)
      }
      // The token may be of a user whom the observer has not reported yet: that user's queue goes
      // with it. The streams of the last user are closed then, and the body finds that its own is.
      if !Task.isCancelled { userChanged(source.currentUser) }
      body(self, result)
    }
  }

  static func failure(ofCredentials error: any Error) -> FirestoreFailure {
    FirestoreFailure(.unknown, "The credentials can't be renewed: \(error)")
  }

  func openWatch(_ id: StreamID) {
    closeWatch()
    watch = Connection(id: id)
    watch?.opening = withCredentials { client, result in
      guard client.watch?.id == id else { return }
      switch result {
      case .success(let credentials): client.connectWatch(id, credentials)
      case .failure(let error):
        client.watch = nil
        client.handle(.watchClosed(id, SyncClient.failure(ofCredentials: error)))
      }
    }
  }

  private func connectWatch(_ id: StreamID, _ credentials: CallCredentials) {
    let unhandled = unhandled
    let stream = configuration.transport.openWatch(credentials) { [weak self] event in
      guard let self else { return }
      unhandled.wait()
      perform { client in
        defer { unhandled.signal() }
        client.receive(event, id)
      }
    }
    watch = Connection(id: id, stream: stream)
    handle(.watchOpened(id))
  }

  func receive(_ event: WatchStreamEvent, _ id: StreamID) {
    guard watch?.id == id else { return }
    switch event {
    case .changed(let changes): for change in changes { handle(.watchChanged(id, change)) }
    case .closed(let failure):
      watch = nil
      handle(.watchClosed(id, failure))
    }
  }

  func closeWatch() {
    watch?.opening?.cancel()
    watch?.stream?.close()
    watch = nil
  }

  func openWrite(_ id: StreamID) {
    closeWrite()
    write = Connection(id: id)
    write?.opening = withCredentials { client, result in
      guard client.write?.id == id else { return }
      switch result {
      case .success(let credentials): client.connectWrite(id, credentials)
      case .failure(let error):
        client.write = nil
        client.handle(.writeClosed(id, SyncClient.failure(ofCredentials: error)))
      }
    }
  }

  private func connectWrite(_ id: StreamID, _ credentials: CallCredentials) {
    let unhandled = unhandled
    let stream = configuration.transport.openWrite(credentials) { [weak self] event in
      guard let self else { return }
      unhandled.wait()
      perform { client in
        defer { unhandled.signal() }
        client.receive(event, id)
      }
    }
    write = Connection(id: id, stream: stream)
    handle(.writeOpened(id))
  }

  func receive(_ event: WriteStreamEvent, _ id: StreamID) {
    guard write?.id == id else { return }
    switch event {
    case .shaken(let token): handle(.writeShaken(id, token: token))
    case .acknowledged(let token, let version, let results):
      handle(.writeAcknowledged(id, token: token, commitVersion: version, results: results))
    case .closed(let failure):
      write = nil
      handle(.writeClosed(id, failure))
    }
  }

  func closeWrite() {
    write?.opening?.cancel()
    write?.stream?.close()
    write = nil
  }
}
