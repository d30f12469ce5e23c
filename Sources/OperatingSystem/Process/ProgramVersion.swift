/// The version of this program: in `--version`, `info`, the documentation and the databases that it makes.
package struct ProgramVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// This program's.
    package static let current = ProgramVersion(0, 1, 0)

    package let major, minor, patch: Int

    /// - Parameters: Each from 0 to 999, so that a version is one number as well.
    package init(_ major: Int, _ minor: Int, _ patch: Int) {
        (self.major, self.minor, self.patch) = (major, minor, patch)
    }

    /// As one number that fits into 32 bits: 1002003 is 1.2.3.
    package var number: Int { (major * 1000 + minor) * 1000 + patch }

    /// - Returns: `nil` for what is no version; 0 is none.
    package init?(number: Int) {
        guard (1..<1_000_000_000).contains(number) else { return nil }
        self.init(number / 1_000_000, number / 1000 % 1000, number % 1000)
    }

    package static func < (one: ProgramVersion, other: ProgramVersion) -> Bool { one.number < other.number }

    package var description: String { "\(major).\(minor).\(patch)" }
}
