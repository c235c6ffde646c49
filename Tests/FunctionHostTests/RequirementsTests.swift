import Testing

@testable import FunctionHost

/// Requirements of Python whose installation sources share, and those that read files of the source.
@Suite struct RequirementsTests {
  @Test(arguments: [
    "firebase-functions==0.6.0\n",
    "# all\nfirebase-functions~=0.4 # the SDK\r\nrequests[socks]>=2,<3\n",
    "pytz ; python_version < \"3.9\"", "", "\n\n",
  ])
  func `packages of an index by name are shared`(text: String) {
    #expect(!PythonRuntime.isLocal(text))
  }

  @Test(arguments: [
    "./package", "-r more.txt", "\t-r more.txt", "libs/common", "evil-1.0-py3-none-any.whl",
    "evil.tar.gz", "evil @ file:///x", "evil @ https://example.org/x", "a\u{1C}-r more.txt",
    "firebase-functions==0.6.0\nlibs/common", "a \\\n-r more.txt", "${HOME}x", "..",
  ])
  func `what may read the source is of that source alone`(text: String) {
    #expect(PythonRuntime.isLocal(text))
  }
}
