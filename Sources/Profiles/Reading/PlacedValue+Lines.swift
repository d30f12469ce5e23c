extension PlacedValue {
    /// Reads any JSON with its places; `nil` if it cannot be read.
    ///
    /// - Parameter maximumDepth: The deepest nesting of lists and objects.
    package init?(json bytes: [UInt8], maximumDepth: Int) {
        var reader = TolerantReader(bytes, file: "", maximumDepth: maximumDepth)
        guard let value = reader.document() else { return nil }
        self = value
    }

    /// The line of a path such as `environments[0].zones[1].name`, from 1.
    ///
    /// A path that does not exist has the line of its nearest existing ancestor. Of a key that stands twice the last
    /// counts.
    package func line(of path: String) -> Int {
        var (value, line) = (self, position.line)
        for part in path.split(separator: ".") {
            let (name, indices) = (
                part.prefix { $0 != "[" }, part.split(separator: "[").filter { $0.hasSuffix("]") }
            )
            if !name.isEmpty {
                guard let member = value.members?.last(where: { $0.key == name }) else { return line }
                (value, line) = (member.value, member.keyPosition.line)
            }
            for index in indices {
                guard let list = value.list, let index = Int(index.dropLast()), list.indices.contains(index)
                else { return line }
                (value, line) = (list[index], list[index].position.line)
            }
        }
        return line
    }
}
