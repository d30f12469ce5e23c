package import JSON

/// Counts and sums of the samples of one group, by field.
///
/// The sums of two sets of samples merge to those of both, in any order, so that late samples can be added to stored sums.
/// - Source: contrib/contract/bindings.md, "Aggregations".
package struct GroupSums: Sendable, Hashable {
    /// A field with its sums.
    package struct Field: Sendable, Hashable {
        package let name: String
        package fileprivate(set) var sum: FieldSum

        package init(_ name: String, _ sum: FieldSum) { (self.name, self.sum) = (name, sum) }
    }

    /// How many samples there are.
    package private(set) var count: Int
    /// At most ``maximumFields``, sorted by the bytes of their names.
    package private(set) var fields: [Field]
    /// Whether there were more fields.
    ///
    /// Those with the first names are kept: a field that is left later comes after all that
    /// are kept, so what is kept is complete.
    package private(set) var isCut: Bool

    package static let maximumFields = 64

    package init() { (count, fields, isCut) = (0, [], false) }

    /// Sums that were stored.
    package init(count: Int, fields: [Field], isCut: Bool) {
        let isInOrder = zip(fields, fields.dropFirst()).allSatisfy { $0.precedes($1.name) }
        guard !isInOrder || fields.count > Self.maximumFields else {
            (self.count, self.fields, self.isCut) = (max(0, count), fields, isCut)
            return
        }
        (self.count, self.fields, self.isCut) = (max(0, count), [], isCut)
        for field in fields { update(field.name, from: 0) { $0.merge(field.sum) } }
    }

    package subscript(name: String) -> FieldSum? {
        // Of few fields to compare for equality is faster than to find a place in the order.
        for index in fields.indices where fields[index].isCalled(name) { return fields[index].sum }
        return nil
    }

    /// Adds a sample.
    ///
    /// - Parameter names: The fields that are of interest; `nil` for all.
    package mutating func add(_ state: JSONObject, at time: Int64, only names: [String]? = nil) {
        count = Count.sum(count, 1)
        if let names {
            for name in names {
                guard let value = state[name], !value.isNull else { continue }
                update(name, from: 0) { $0.add(value, at: time) }
            }
            return
        }
        // Both are sorted in the same way.
        var place = 0
        for (name, value) in state where !value.isNull {
            place = update(name, from: place) { $0.add(value, at: time) }
        }
    }

    /// Adds the sums of other samples.
    package mutating func merge(_ other: GroupSums) {
        guard count > 0 || isCut || !fields.isEmpty else {
            self = other
            return
        }
        count = Count.sum(count, other.count)
        var place = 0
        for field in other.fields { place = update(field.name, from: place) { $0.merge(field.sum) } }
        isCut = isCut || other.isCut
    }

    /// Changes the sums of a field, unless there are enough fields with names before it.
    ///
    /// - Parameter start: A place that is not behind the field's.
    /// - Returns: The field's place.
    @discardableResult
    private mutating func update(_ name: String, from start: Int, _ change: (inout FieldSum) -> Void) -> Int {
        let place = insertionPoint(of: name, from: start)
        if place < fields.count, fields[place].isCalled(name) {
            change(&fields[place].sum)
            return place
        }
        guard place < Self.maximumFields else {
            isCut = true
            return place
        }
        var sum = FieldSum()
        change(&sum)
        fields.insert(Field(name, sum), at: place)
        if fields.count > Self.maximumFields {
            fields.removeLast()
            isCut = true
        }
        return place
    }

    private func insertionPoint(of name: String, from start: Int) -> Int {
        // Samples of a thing have the same fields nearly always.
        if start < fields.count, !fields[start].precedes(name) { return start }
        if start + 1 < fields.count, !fields[start + 1].precedes(name) { return start + 1 }
        var (low, high) = (min(start, fields.count), fields.count)
        while low < high {
            let middle = (low + high) / 2
            if fields[middle].precedes(name) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension GroupSums.Field {
    fileprivate func isCalled(_ name: String) -> Bool { self.name.hasBytes(of: name) }

    fileprivate func precedes(_ name: String) -> Bool { self.name.utf8.lexicographicallyPrecedes(name.utf8) }
}
