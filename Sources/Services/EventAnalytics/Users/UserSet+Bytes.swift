import KeyValueStore

// A stored set: the number of blocks, then for each its upper 16 bits, a byte for its form and its content:
//
//   0 array    the number of members, the first member, then the differences between neighbours less one
//   1 bitmap   1,024 words of 8 bytes, little-endian
//   2 runs     the number of runs, then for each its distance from the end of the one before and its length less one
//
// whichever is shortest. New users have neighbouring numbers, so that their sets are mostly runs.

extension UserSet {
  /// Appends the set.
  func write(to writer: inout ByteWriter) {
    writer.count(blocks.count)
    for (high, block) in blocks {
      writer.count(Int(high))
      block.write(to: &writer)
    }
  }

  /// Reads a set.
  init(from reader: inout ByteReader) throws {
    var blocks: [(high: UInt16, block: Block)] = []
    for _ in 0..<(try reader.count()) {
      let high = UInt16(truncatingIfNeeded: try reader.number())
      guard blocks.last.map({ $0.high < high }) ?? true else {
        throw RecordReader.corrupt("a set of users out of order")
      }
      blocks.append((high, try Block(from: &reader)))
    }
    self.init(blocks: blocks)
  }
}

extension UserSet.Block {
  fileprivate func write(to writer: inout ByteWriter) {
    var runs: [(start: Int, length: Int)] = []
    forEach { low in
      if let last = runs.last, last.start + last.length == Int(low) {
        runs[runs.count - 1].length += 1
      } else {
        runs.append((Int(low), 1))
      }
    }
    if runs.count * 3 < min(count, Self.words * 8) {
      Self.write(runs, to: &writer)
    } else if count * 2 > Self.words * 8 {
      writer.byte(1)
      for word in words { writer.fixed(word) }
    } else {
      writer.byte(0)
      writer.count(count)
      var next = 0
      forEach { low in
        writer.count(Int(low) - next)
        next = Int(low) + 1
      }
    }
  }

  private static func write(_ runs: [(start: Int, length: Int)], to writer: inout ByteWriter) {
    writer.byte(2)
    writer.count(runs.count)
    var end = 0
    for run in runs {
      writer.count(run.start - end)
      writer.count(run.length - 1)
      end = run.start + run.length
    }
  }

  fileprivate init(from reader: inout ByteReader) throws {
    var lows: [UInt16] = []
    var bits: [UInt64] = []
    try Self.read(&reader) {
      lows.append($0)
    } word: { _, word in
      bits.append(word)
    }
    self = bits.isEmpty ? Self(ascending: lows) : Self(words: bits)
  }

  /// Hands out the members of a stored block: each by itself, ascending, or all as words of bits, ascending.
  static func read(
    _ reader: inout ByteReader,
    member: (UInt16) -> Void,
    word: (_ index: Int, UInt64) -> Void
  ) throws {
    switch try reader.byte() {
    case 0:
      var next = 0
      for _ in 0..<(try reader.count()) {
        next += try step(&reader)
        member(try low(next))
        next += 1
      }
    case 1: for index in 0..<words { word(index, try reader.fixed()) }
    case 2:
      var end = 0
      for _ in 0..<(try reader.count()) {
        let start = end + (try step(&reader))
        end = start + 1 + (try step(&reader))
        _ = try low(end - 1)
        for number in start..<end { member(UInt16(number)) }
      }
    default: throw RecordReader.corrupt("a set of users of an unknown form")
    }
  }

  private static func step(_ reader: inout ByteReader) throws -> Int {
    Int(try low(Int(truncatingIfNeeded: try reader.number())))
  }

  private static func low(_ number: Int) throws -> UInt16 {
    guard let low = UInt16(exactly: number) else {
      throw RecordReader.corrupt("a set of users beyond its block")
    }
    return low
  }
}
