import ModelTestSupport

/// A directory as a disk has it while a trace plays: what is durable, and what may yet be lost.
///
/// A change of a file's bytes becomes durable with a sync of the file that began after it, a change
/// of names with such a sync of the directory. At a crash any part of the rest may be there: of the
/// bytes a prefix, or any pages, each as it was at some time; of the names, which file systems keep in a journal, a prefix.
struct SimulatedDisk {
  private enum Change {
    case write(offset: Int, bytes: [UInt8])
    case truncate(size: Int)
  }

  private enum NameChange {
    case set(String, file: Int)
    case rename(from: String, to: String)
    case remove(String)
  }

  private struct File {
    var durable: [UInt8] = []
    var pending: [(order: Int, change: Change)] = []
    var size = 0
  }

  private static let pageBytes = 4_096
  private static let sectorBytes = 512

  private var files: [File] = []
  private var fileOfInode: [UInt64: Int] = [:]
  private var durableNames: [String: Int] = [:]
  private var pendingNames: [(order: Int, change: NameChange)] = []
  private var currentNames: [String: Int] = [:]
  private var beganAt: [Int: Int] = [:]
  private var order = 0

  /// Starts with files that are durable.
  init(_ contents: [String: [UInt8]] = [:]) {
    for (path, bytes) in contents {
      durableNames[path] = files.count
      files.append(File(durable: bytes, size: bytes.count))
    }
    currentNames = durableNames
  }

  mutating func apply(_ event: Trace.Event) {
    order += 1
    switch event {
    case .open(let inode, let isNew, let path): open(inode, isNew, path)
    case .write(let inode, let offset, let bytes):
      change(inode, .write(offset: offset, bytes: bytes))
    case .truncate(let inode, let size): change(inode, .truncate(size: size))
    case .syncing(_, let serial): beganAt[serial] = order
    case .synced(let inode, let serial): synced(inode, before: beganAt[serial] ?? 0)
    case .rename(let from, let to):
      if currentNames[from] != nil { changeNames(.rename(from: from, to: to)) }
    case .link(let from, let to):
      if let file = currentNames[from] { changeNames(.set(to, file: file)) }
    case .unlink(let path): changeNames(.remove(path))
    case .makeDirectory, .mark, .failed: break
    }
  }

  /// Names of files with that suffix whose bytes or name could be lost now.
  func unsynced(_ suffix: String) -> [String] {
    currentNames.filter { name, file in
      name.hasSuffix(suffix) && (!files[file].pending.isEmpty || durableNames[name] != file)
        && !(files[file].pending.isEmpty && files[file].durable.isEmpty)
    }.map(\.key)
  }

  /// Returns the files that a crash now may leave.
  func crash(_ generator: inout SeededSource) -> [String: [UInt8]] {
    var names = durableNames
    let kept = Int.random(in: 0...pendingNames.count, using: &generator)
    for pending in pendingNames.prefix(kept) {
      Self.apply(pending.change, to: &names)
    }
    return names.mapValues { Self.crash(files[$0], &generator) }
  }

  private mutating func open(_ inode: UInt64, _ isNew: Bool, _ path: String) {
    guard isNew else {
      if let file = currentNames[path] { fileOfInode[inode] = file }
      return
    }
    fileOfInode[inode] = files.count
    changeNames(.set(path, file: files.count))
    files.append(File())
  }

  private mutating func change(_ inode: UInt64, _ change: Change) {
    guard let file = fileOfInode[inode] else { return }
    switch change {
    case .write(let offset, let bytes):
      files[file].size = max(files[file].size, offset + bytes.count)
    case .truncate(files[file].size): return
    case .truncate(let size): files[file].size = size
    }
    files[file].pending.append((order, change))
  }

  private mutating func changeNames(_ change: NameChange) {
    pendingNames.append((order, change))
    Self.apply(change, to: &currentNames)
  }

  private mutating func synced(_ inode: UInt64, before began: Int) {
    guard inode != 0 else {
      for pending in pendingNames where pending.order < began {
        Self.apply(pending.change, to: &durableNames)
      }
      pendingNames.removeAll { $0.order < began }
      return
    }
    guard let file = fileOfInode[inode] else { return }
    for pending in files[file].pending where pending.order < began {
      Self.apply(pending.change, to: &files[file].durable)
    }
    files[file].pending.removeAll { $0.order < began }
  }

  private static func apply(_ change: NameChange, to names: inout [String: Int]) {
    switch change {
    case .set(let path, let file): names[path] = file
    case .rename(let from, let to): names[to] = names.removeValue(forKey: from)
    case .remove(let path): names[path] = nil
    }
  }

  private static func apply(_ change: Change, to bytes: inout [UInt8]) {
    switch change {
    case .truncate(let size):
      extend(&bytes, to: size)
      bytes.removeSubrange(size...)
    case .write(let offset, let written):
      extend(&bytes, to: offset + written.count)
      bytes.replaceSubrange(offset..<(offset + written.count), with: written)
    }
  }

  private static func extend(_ bytes: inout [UInt8], to size: Int) {
    guard bytes.count < size else { return }
    bytes.append(contentsOf: repeatElement(0, count: size - bytes.count))
  }

  private static func crash(_ file: File, _ generator: inout SeededSource) -> [UInt8] {
    var bytes = file.durable
    let kept = Int.random(in: 0...file.pending.count, using: &generator)
    switch Int.random(in: 0..<4, using: &generator) {
    case 0:
      break
    case 1:
      file.pending.forEach { apply($0.change, to: &bytes) }
    case 2:
      file.pending.prefix(kept).forEach { apply($0.change, to: &bytes) }
      if kept < file.pending.count {
        applyTorn(file.pending[kept].change, to: &bytes, &generator)
      }
    default:
      applyPages(file.pending.map(\.change), to: &bytes, &generator)
    }
    return bytes
  }

  /// The first sectors of a write, as many as chance has it.
  private static func applyTorn(
    _ change: Change,
    to bytes: inout [UInt8],
    _ generator: inout SeededSource
  ) {
    guard case .write(let offset, let written) = change else { return }
    let sectors = (offset + written.count) / sectorBytes - offset / sectorBytes
    let lastSector = offset / sectorBytes + Int.random(in: 0...sectors, using: &generator)
    let count = max(0, lastSector * sectorBytes - offset)
    apply(.write(offset: offset, bytes: Array(written.prefix(count))), to: &bytes)
  }

  /// Every page as it was after some of the writes to it; the system writes pages in any order.
  private static func applyPages(
    _ changes: [Change],
    to bytes: inout [UInt8],
    _ generator: inout SeededSource
  ) {
    var isLost: Set<Int> = []
    for change in changes {
      guard case .write(let offset, let written) = change else {
        if Bool.random(using: &generator) { apply(change, to: &bytes) }
        continue
      }
      var start = 0
      while start < written.count {
        let page = (offset + start) / pageBytes
        let end = min(written.count, (page + 1) * pageBytes - offset)
        if Bool.random(using: &generator) { isLost.insert(page) }
        if !isLost.contains(page) {
          apply(.write(offset: offset + start, bytes: Array(written[start..<end])), to: &bytes)
        }
        start = end
      }
    }
  }
}
