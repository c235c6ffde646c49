import BaseRuntime
import KeyValueStore

/// Begins deliveries: reads queues in slices, keeps the order of keys, the bounds of concurrency and the times of
/// repetitions.
actor EventDispatcher {
  /// A delivery to begin.
  private struct Job: Sendable {
    let trigger: Trigger
    let item: LaneItem
  }

  /// Events that are read at once.
  private static let slice = 64
  /// Microseconds for which a trigger stands still whose function is not there.
  private static let absence: Int64 = 5_000_000

  private let bus: EventBus
  private var lanes: [Int64: TriggerLane] = [:]
  private var generation = -1
  /// Taken from lanes and not started.
  private var jobs: [Job] = []

  init(_ bus: EventBus) { self.bus = bus }

  /// Runs until its task is cancelled.
  func run(_ wakes: AsyncStream<Void>) async {
    await withDiscardingTaskGroup { group in
      for await _ in wakes {
        if Task.isCancelled { break }
        do {
          try await step()
          bus.report(nil)
        } catch {
          bus.report(error)
        }
        // Those that were taken before an error count as in flight.
        for job in takeJobs() { group.addTask { await self.perform(job) } }
      }
      group.cancelAll()
    }
  }

  private func step() async throws {
    let now = bus.now
    takeWakes()
    for number in lanes.keys.sorted() { try await takeJobs(of: number, now: now) }
    try await bus.fireSchedules(now: now)
  }

  private func takeJobs() -> [Job] {
    defer { jobs = [] }
    return jobs
  }

  private func takeWakes() {
    let wakes = bus.takeWakes()
    if wakes.generation != generation {
      generation = wakes.generation
      let triggers = bus.tap.triggers.triggers
      for number in lanes.keys where triggers[number] == nil { lanes[number] = nil }
      for (number, trigger) in triggers {
        if lanes[number] == nil { lanes[number] = TriggerLane(trigger) }
        lanes[number]?.trigger = trigger
        lanes[number]?.resume()
      }
    }
    for number in wakes.arrivals { lanes[number]?.noteArrival() }
    for number in wakes.rewinds { lanes[number]?.rewind() }
  }

  private func takeJobs(of number: Int64, now: Int64) async throws {
    while var lane = lanes[number] {
      let room = lane.room(now: now)
      lanes[number] = lane
      guard room > 0 else { break }
      var ready = lanes[number]?.takeReady(room, now: now) ?? []
      if ready.isEmpty, let due = lane.nextDue, due <= now {
        ready = try await dueItems(number, room, now: now)
      }
      if ready.isEmpty {
        guard lanes[number]?.wantsItems == true else { break }
        let position = lane.position
        let items = try await bus.items(of: number, behind: position, limit: Self.slice)
        // A rewind while the slice was read makes it worthless.
        guard lanes[number]?.position == position else { continue }
        lanes[number]?.append(items, isEnd: items.count < Self.slice)
        continue
      }
      guard let trigger = lanes[number]?.trigger else { break }
      jobs += ready.map { Job(trigger: trigger, item: $0) }
    }
  }

  private func dueItems(_ number: Int64, _ room: Int, now: Int64) async throws -> [LaneItem] {
    let limit = room + TriggerLane.keysHeld
    let (items, next) = try await bus.dueItems(of: number, until: now, limit: limit)
    var fresh = lanes[number]?.takeDue([], next: next) ?? []
    for item in items where fresh.count < room {
      fresh += lanes[number]?.takeDue([item], next: next) ?? []
    }
    return fresh
  }

  private func perform(_ job: Job) async {
    let result = await bus.attempt(job.item, of: job.trigger)
    await finish(job, result)
    bus.wake()
  }

  private func finish(_ job: Job, _ result: EventBus.AttemptResult) async {
    let number = job.trigger.number
    switch result {
    case .ended:
      guard lanes[number]?.ended(job.item) == true else { return }
      do {
        var isOpen = true
        while isOpen {
          let next = try await bus.firstItem(of: number, order: job.item.order)
          isOpen = lanes[number]?.follow(job.item.order, with: next) ?? false
        }
      } catch {
        lanes[number]?.abandoned(job.item, until: bus.now + Self.absence)
      }
    case .postponed(let due): lanes[number]?.postponed(job.item, until: due)
    case .absent: lanes[number]?.abandoned(job.item, until: bus.now + Self.absence)
    }
  }
}
