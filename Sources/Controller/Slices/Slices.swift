import People

/// The slices of a node in the order in which they follow events, each found by its type.
package struct Slices: Sendable, Hashable {
    private var all: [any Slice]

    package init(_ slices: [any Slice] = []) { all = slices }

    /// The slice of a type; as before its first event if the node does not have it.
    package subscript<Member: Slice>(_ type: Member.Type) -> Member {
        get { index(of: type).flatMap { all[$0] as? Member } ?? Member() }
        set {
            if let index = index(of: type) { all[index] = newValue } else { all.append(newValue) }
        }
    }

    /// The first slice that is of a kind, such as those that conform to a protocol.
    package func first<Kind>(_ kind: Kind.Type) -> Kind? {
        for slice in all {
            if let found = slice as? Kind { return found }
        }
        return nil
    }

    func index(of type: any Slice.Type) -> Int? { all.firstIndex { Swift.type(of: $0) == type } }

    package var everything: Set<StateChange> {
        all.reduce(into: []) { $0.formUnion($1.everything) }
    }

    func seen(by reader: Reader, in core: ControllerState) -> Slices {
        Slices(all.map { Self.seen($0, by: reader, in: core) })
    }

    private static func seen(
        _ slice: some Slice,
        by reader: Reader,
        in core: ControllerState
    ) -> any Slice { slice.seen(by: reader, in: core) }

    /// The same after a restart of the node.
    package func resuming(_ former: Slices) -> Slices {
        func resumed<Member: Slice>(_ slice: Member) -> any Slice {
            guard former.index(of: Member.self) != nil else { return slice }
            var slice = slice
            slice.resume(former[Member.self])
            return slice
        }
        return Slices(all.map { resumed($0) })
    }

    // MARK: In a turn

    var indices: Range<Int> { all.indices }

    /// Whether one of them follows what things at the edge upload.
    var hasUploadFollowers: Bool { indices.contains { followsUploads(at: $0) } }

    func followsUploads(at index: Int) -> Bool { all[index].followsUploads }

    /// Whether one of them follows what events change.
    var hasChangeFollowers: Bool { indices.contains { followsChanges(at: $0) } }

    func followsChanges(at index: Int) -> Bool { all[index].followsChanges }

    /// Takes a slice out, so that it can change while it reads the state; ``put(_:at:)`` puts it back.
    mutating func take(at index: Int) -> any Slice {
        var slice: any Slice = Absent()
        swap(&slice, &all[index])
        return slice
    }

    mutating func put(_ slice: any Slice, at index: Int) { all[index] = slice }

    /// Adds the slices of another configuration that are not here yet.
    /// - Returns: Where they are.
    mutating func add(_ other: Slices) -> Range<Int> {
        let start = all.endIndex
        all += other.all.filter { index(of: type(of: $0)) == nil }
        return start..<all.endIndex
    }

    package static func == (left: Slices, right: Slices) -> Bool {
        left.all.map { AnyHashable($0) } == right.all.map { AnyHashable($0) }
    }

    package func hash(into hasher: inout Hasher) {
        for slice in all { hasher.combine(AnyHashable(slice)) }
    }
}

/// Holds the place of a slice that is taken out.
private struct Absent: Slice {}
