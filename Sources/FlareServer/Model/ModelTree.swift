package import Flare
package import JSON

/// A model in the format of the original import files: environments with zones and devices, zones with things.
/// - Source: contrib/contract/flare-protocol.md, "9. Model files".
package struct ModelTree: Sendable, Hashable {
    /// All objects, parents before children.
    package internal(set) var records: [FlareRecord] = []
    /// The location of each object in the file.
    package internal(set) var places: [String] = []
    /// Identifiers that were generated for objects without one.
    package internal(set) var generatedIDs: Set<FlareID> = []

    /// The size limit of a model file, bytes.
    package static let maximumBytes = 64 << 20
    /// The deepest nesting of lists and objects in a file.
    package static let maximumDepth = 128

    init() {}

    /// Reads a model file; objects without an identifier get a new one.
    /// - Throws: All problems at once.
    package static func read(
        _ bytes: some Collection<UInt8>,
        limit: Int = FlareLimits().objects,
        makeID: () -> FlareID = FlareHub.randomID
    ) throws(ModelErrors) -> ModelTree {
        try read(parse(bytes), limit: limit, makeID: makeID)
    }

    /// Parses the JSON of a model file.
    /// - Throws: If it is not JSON, or too long.
    package static func parse(_ bytes: some Collection<UInt8>) throws(ModelErrors) -> JSONValue {
        guard bytes.count <= maximumBytes else {
            throw ModelErrors("", "the file has \(bytes.count) bytes; at most \(maximumBytes) are allowed")
        }
        do {
            return try JSONValue(parsing: bytes, maximumDepth: maximumDepth)
        } catch {
            throw ModelErrors(place(of: error.offset, in: bytes), "invalid JSON: \(error.problem)")
        }
    }

    /// Reads a model; see ``read(_:limit:makeID:)``.
    package static func read(
        _ json: JSONValue,
        limit: Int = FlareLimits().objects,
        makeID: () -> FlareID = FlareHub.randomID
    ) throws(ModelErrors) -> ModelTree {
        try withoutActuallyEscaping(makeID) { makeID throws(ModelErrors) in
            var reader = ModelTreeReader(limit: limit, makeID: makeID)
            return try reader.read(json)
        }
    }

    /// The line and column of a byte, both from 1.
    private static func place(of offset: Int, in bytes: some Collection<UInt8>) -> String {
        var (line, column) = (1, 1)
        for byte in bytes.prefix(offset) {
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else {
                column += 1
            }
        }
        return "line \(line), column \(column)"
    }
}

extension ModelErrors {
    init(_ place: String, _ message: String) {
        self.init(problems: [ModelError(place: place, message: message)])
    }
}
