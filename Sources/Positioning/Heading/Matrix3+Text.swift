extension Matrix3: LosslessStringConvertible {
    /// From `a, b, c; d, e, f; g, h, i`, as the kernel writes mount matrices.
    ///
    /// `nil` for any other text, and for a nearly singular matrix.
    package init?(_ text: String) {
        guard text.utf8.count <= 400 else { return nil }
        let rows = text.split(separator: ";", omittingEmptySubsequences: false).map { row in
            row.split(separator: ",", omittingEmptySubsequences: false).map { DecimalText.number($0) }
        }
        guard rows.count == 3, let x = Vector3(row: rows[0]), let y = Vector3(row: rows[1]),
            let z = Vector3(row: rows[2])
        else { return nil }
        self.init(x, y, z)
        guard (0.1...10).contains(determinant.magnitude) else { return nil }
    }

    /// The text that ``init(_:)`` parses.
    package var description: String {
        [x, y, z].map { "\($0.x), \($0.y), \($0.z)" }.joined(separator: "; ")
    }
}

extension Vector3 {
    fileprivate init?(row: [Double?]) {
        guard row.count == 3, let x = row[0], let y = row[1], let z = row[2] else { return nil }
        self.init(x, y, z)
    }
}

/// Numbers as the kernel writes them.
package enum DecimalText {
    /// Parses a decimal number, ignoring surrounding white space; `nil` for anything else, such as `nan` and
    /// `0x10`.
    package static func number(_ text: some StringProtocol) -> Double? {
        let trimmed = text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()
        guard !trimmed.isEmpty, trimmed.count <= 40,
            trimmed.allSatisfy({ "0123456789+-.eE".contains($0) }),
            let number = Double(String(trimmed)), number.isFinite
        else { return nil }
        return number
    }
}
