package import JSON

extension String {
    /// Whether both have the same bytes, as names and texts in JSON are compared.
    ///
    /// Equal strings need not have: `é` equals `e` with an accent behind it.
    func hasBytes(of other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let isSame = utf8.withContiguousStorageIfAvailable { mine in
            other.utf8.withContiguousStorageIfAvailable { mine.elementsEqual($0) }
        }
        return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}

extension JSONValue {
    /// Whether a field of a state has this value: a text byte by byte, whole numbers of 64 bits however they are written.
    ///
    /// - Parameter value: A text, a number, true or false.
    package func isSame(as value: JSONValue) -> Bool {
        if let text = string, let other = value.string { return text.hasBytes(of: other) }
        // 1e17 is a double, and 100000000000000000 keeps its digits.
        if let integer, let other = value.integer { return integer == other }
        return self == value
    }

    /// Whether both are numbers, and the same ones as far as least and greatest values tell them apart.
    ///
    /// Whole numbers of 64 bits are told apart exactly, others as doubles, however they are written.
    package func isSameNumber(as other: JSONValue) -> Bool {
        if let integer, let other = other.integer { return integer == other }
        guard let number, let other = other.number else { return false }
        return number == other
    }
}
