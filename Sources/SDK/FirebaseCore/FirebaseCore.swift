// Apps get Foundation with each of Google's libraries, and leave its import out; ours all bring this one along.
@_exported import Foundation
