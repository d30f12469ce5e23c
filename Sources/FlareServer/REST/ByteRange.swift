/// The requested part of a file.
/// - Source: RFC 9110 14.1 and 14.2.
enum ByteRange: Equatable {
    /// The whole file: no range, several ranges, or an invalid one.
    case whole
    case part(Range<Int>)
    case unsatisfiable

    /// - Parameters:
    ///   - header: The Range header.
    ///   - size: Bytes of the file.
    init(_ header: String?, size: Int) {
        self = .whole
        guard let header, header.prefix(6).lowercased() == "bytes=" else { return }
        let ends = header.dropFirst(6).split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
            .map { $0.drop { $0 == " " } }
        guard ends.count == 2, let (first, last) = try? (Self.number(ends[0]), Self.number(ends[1])) else {
            return
        }
        switch (first, last) {
        case (nil, nil): return
        case (nil, let count?):
            self = count == 0 || size == 0 ? .unsatisfiable : .part(max(0, size - count)..<size)
        case (let first?, let last):
            if let last, last < first { return }
            self = first >= size ? .unsatisfiable : .part(first..<(min(last ?? size, size - 1) + 1))
        }
    }

    private struct NoNumber: Error {}

    /// A number, `nil` for an empty text; numbers that do not fit an `Int` are clamped.
    private static func number(_ text: Substring) throws(NoNumber) -> Int? {
        guard text.utf8.allSatisfy({ (48...57).contains($0) }) else { throw NoNumber() }
        return text.isEmpty ? nil : Int(text) ?? .max
    }
}
