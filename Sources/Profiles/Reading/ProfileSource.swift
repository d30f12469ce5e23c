/// A file, read but not yet checked.
package struct ProfileSource: Sendable {
    /// The largest file, in bytes.
    package static let maximumBytes = 1 << 20
    /// The deepest nesting of lists and objects.
    package static let maximumDepth = 64

    /// As it was given.
    package let file: String
    /// `nil` after `bad_json` and for a file that is too large.
    package let tree: PlacedValue?
    /// What reading it found, in order.
    package let problems: [ProfileProblem]
    /// Whether it has comments, which no other form keeps.
    package let hasComments: Bool
    /// In YAML a device type needs no `class`.
    let needsClass: Bool

    /// Reads JSON with the indulgences of AMAP's files.
    package init(file: String, json bytes: [UInt8]) {
        self.init(file: file, json: bytes, needsClass: true)
    }

    init(file: String, json bytes: [UInt8], needsClass: Bool) {
        self.file = file
        self.needsClass = needsClass
        guard bytes.count <= Self.maximumBytes else {
            tree = nil
            hasComments = false
            problems = [.tooManyBytes(bytes.count, in: file)]
            return
        }
        var reader = TolerantReader(bytes, file: file)
        tree = reader.document()
        problems = reader.problems
        hasComments = reader.hasComments
    }

    /// What somebody else has read, such as YAML.
    /// - Parameters:
    ///   - tree: `nil` if it cannot be read.
    ///   - problems: Those of reading.
    package init(file: String, tree: PlacedValue?, problems: [ProfileProblem], hasComments: Bool = false) {
        self.file = file
        self.tree = problems.contains { $0.code == .badJSON } ? nil : tree
        self.problems = problems
        self.hasComments = hasComments
        needsClass = false
    }
}

extension ProfileProblem {
    /// A file beyond ``ProfileSource/maximumBytes``.
    package static func tooManyBytes(_ count: Int, in file: String) -> Self {
        Self(
            file: file,
            position: .start,
            code: .tooLarge,
            message: "the file has \(count) bytes; at most \(ProfileSource.maximumBytes) are legal"
        )
    }
}
