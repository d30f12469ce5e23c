import Bindings
import JSON

/// The top-level fields of the data of a thing at the edge, and their bytes: what it reports stays there, so it has a limit.
struct ReportedFields: Sendable {
    static let most = 200
    /// Bytes of names and values, about as compact JSON.
    static let mostBytes = 32_768

    private var sizes: [String: Int] = [:]
    private(set) var bytes = 0

    var count: Int { sizes.count }

    /// - Parameter data: What the thing's data are now.
    init(_ data: JSONObject) { add(data) }

    mutating func add(_ state: JSONObject) {
        for (name, value) in state where !value.isNull {
            let size = name.utf8.count + value.bytes.count + 4
            bytes += size - (sizes.updateValue(size, forKey: name) ?? 0)
        }
    }

    /// Whether there is room for what has become of fields; what is there already may stay.
    func allows(_ next: ReportedFields) -> Bool {
        next.count <= max(Self.most, count) && next.bytes <= max(Self.mostBytes, bytes)
    }
}
