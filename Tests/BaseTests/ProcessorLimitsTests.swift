import BaseRuntime
import Testing

struct ProcessorLimitsTests {
  @Test(arguments: [
    ("max 100000\n", 8, 8), ("150000 100000\n", 8, 2), ("100000 100000", 8, 1),
    ("1000 100000", 8, 1),
    ("1600000 100000", 8, 8), ("50000", 4, 1), ("", 4, 4), ("-1 100000", 4, 4), ("250000 0", 4, 4),
    ("max", 0, 1),
  ])
  func `time is rounded up to whole cores, of which there are never more than the machine has`(
    text: String,
    online: Int,
    cores: Int
  ) {
    #expect(ProcessorLimits(cores: "", cpuMax: text).cores(of: online) == cores)
  }

  @Test(arguments: [
    ("0", 1), ("0-3", 4), ("0-1,4,6-7", 5), ("0-63", 8), ("", 8), ("x", 8), ("3-1", 8), ("0,,2", 2),
    ("0-1-2", 8),
  ])
  func `a list of cores is counted, and one of another form is no limit`(list: String, cores: Int) {
    #expect(ProcessorLimits(cores: list, cpuMax: "max").cores(of: 8) == cores)
  }

  @Test
  func `both limits count`() {
    #expect(ProcessorLimits(cores: "0-3", cpuMax: "200000 100000").cores(of: 8) == 2)
    #expect(ProcessorLimits(cores: "0", cpuMax: "200000 100000").cores(of: 8) == 1)
  }

  @Test
  func `this process may use a core`() {
    #expect((1...4_096).contains(ThreadCounts.cores))
  }
}
