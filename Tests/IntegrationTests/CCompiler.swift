import Foundation
import TestSupport

/// The C compiler, for libraries that stand in for a part of the system.
enum CCompiler {
    static var program: String? { ChildProcess.find("cc") }

    /// True if the tests that need it should run: also in CI when it is missing, so that they fail there.
    static var isExpected: Bool { program != nil || ProcessInfo.processInfo.environment["CI"] == "true" }
}
