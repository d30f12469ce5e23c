package import Flare

/// A model as the origin's import files hold it: environments, in them zones and devices, in zones things.
/// - Source: flare-protocol 9.
package struct ModelTree: Sendable, Hashable {
    /// All objects, parents before children.
    package internal(set) var records: [FlareRecord] = []
    /// Where in the file each object stands.
    package internal(set) var places: [String] = []
    /// Identifiers that do not stand in the file, and were made for objects without one.
    package internal(set) var madeIDs: Set<FlareID> = []

    /// Bytes of a model file.
    package static let maximumBytes = 64 << 20

    init() {}

    /// Reads a model file; objects without an identifier get a fresh one.
    /// - Throws: All problems at once.
    package static func read(
        _ bytes: some Collection<UInt8>,
        limit: Int = FlareLimits().objects,
        makeID: () -> FlareID = FlareHub.randomID
    ) throws(ModelErrors) -> ModelTree {
        try read(parse(bytes), limit: limit, makeID: makeID)
    }

    /// The JSON of a model file.
    /// - Throws: The one problem of a text that is no JSON, or too long.
    package static func parse(_ bytes: some Collection<UInt8>) throws(ModelErrors) -> JSONValue {
        guard bytes.count <= maximumBytes else {
            throw ModelErrors("", "the file has \(bytes.count) bytes; at most \(maximumBytes) are allowed")
        }
        do {
            return try JSONValue(parsing: bytes, maximumDepth: 128)
        } catch {
            throw ModelErrors(place(of: error.offset, in: bytes), "no JSON: \(error.problem)")
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

    /// Line and column, both from 1, of a byte.
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
