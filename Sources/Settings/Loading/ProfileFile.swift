import JSON
package import OperatingSystem
package import Profiles

/// A file with profiles: YAML by its name, else JSON.
package enum ProfileFile {
    /// The most bytes that are read to say how large a file is.
    private static let limit = 64 << 20

    /// Reads a file as far as its form: what it says is checked by ``ProfileReading``.
    ///
    /// - Returns: The source, or why the file cannot be read at all.
    package static func read(_ path: String) -> Result<ProfileSource, FileError> {
        FileContents.read(path, upTo: limit).map { source(of: $0.bytes, named: path) }
    }

    /// - Parameter name: The file's name, as messages show it.
    package static func source(of bytes: [UInt8], named name: String) -> ProfileSource {
        guard isYAML(name) else { return ProfileSource(file: name, json: bytes) }
        guard bytes.count <= ProfileSource.maximumBytes else {
            let problem = ProfileProblem.tooManyBytes(bytes.count, in: name)
            return ProfileSource(file: name, tree: nil, problems: [problem])
        }
        let text = ByteOrderMark.skipped(in: bytes)
        do throws(YAMLTree.Failure) {
            guard let text = String(validating: text, as: UTF8.self) else {
                let (line, column) = FileContents.placeOfDamage(in: text)
                let position = SourcePosition(line: line, column: column)
                throw YAMLTree.Failure(position, "this is not UTF-8 text")
            }
            let tree = try YAMLTree.read(text)
            return ProfileSource(file: name, tree: tree, problems: [], hasComments: mayHaveComments(text))
        } catch {
            let problem = ProfileProblem(
                file: name,
                position: error.position,
                code: error.code,
                message: error.message
            )
            return ProfileSource(file: name, tree: nil, problems: [problem])
        }
    }

    /// Whether the name is that of a YAML file.
    package static func isYAML(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.hasSuffix(".yaml") || name.hasSuffix(".yml")
    }

    /// Whether a `#` stands where a comment could begin; in a text of several words it is none.
    private static func mayHaveComments(_ text: String) -> Bool {
        var before: UInt8 = 0x0A
        for byte in text.utf8 {
            if byte == UInt8(ascii: "#"), [0x20, 0x09, 0x0A, 0x0D].contains(before) { return true }
            before = byte
        }
        return false
    }
}
