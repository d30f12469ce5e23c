/// The members of a JSON object, sorted by key: byte by byte of its UTF-8 (RFC 8259, section 8.3).
///
/// A dictionary in use, an array in memory: objects here are small, so that finding a member by comparing keys costs
/// less than hashing one, and comparing, merging and writing are walks from the first member to the last. Equal
/// objects are written as equal bytes.
package struct JSONObject: Sendable, Hashable {
    package typealias Element = (key: String, value: JSONValue)

    fileprivate struct Member: Sendable, Hashable {
        let key: String
        var value: JSONValue
    }

    private var members: [Member]

    package init() { members = [] }

    /// - Parameter minimumCapacity: How many members to make room for.
    package init(minimumCapacity: Int) {
        members = []
        // Reserving room for nothing is a call, too.
        if minimumCapacity > 0 { members.reserveCapacity(minimumCapacity) }
    }

    /// - Parameter combine: The value for a key that comes twice, from the first and the later one.
    package init(
        _ elements: some Sequence<(String, JSONValue)>,
        uniquingKeysWith combine: (JSONValue, JSONValue) throws -> JSONValue
    ) rethrows {
        self.init(minimumCapacity: elements.underestimatedCount)
        var isSorted = true
        for (key, value) in elements {
            if isSorted, isNearby(key) {
                try update(key) { try $0.map { try combine($0, value) } ?? value }
            } else {
                isSorted = false
                members.append(Member(key: key, value: value))
            }
        }
        if !isSorted { try sort(uniquingKeysWith: combine) }
    }

    /// Of members with the same key the last is used, as in JavaScript.
    package init(_ elements: some Sequence<(String, JSONValue)>) {
        self.init(elements) { _, last in last }
    }

    package init(_ dictionary: [String: JSONValue]) {
        self.init(dictionary.lazy.map { ($0.key, $0.value) })
    }

    /// The members that a function adds in the order of their keys.
    package init(minimumCapacity: Int = 0, _ members: (inout JSONObject) -> Void) {
        self.init(minimumCapacity: minimumCapacity)
        members(&self)
    }

    /// Whether it shares its storage with another object, and so is equal: fast, and false for some equal objects.
    package func isCopy(of other: JSONObject) -> Bool {
        members.withUnsafeBufferPointer { mine in
            other.members.withUnsafeBufferPointer {
                mine.baseAddress == $0.baseAddress && mine.count == $0.count
            }
        }
    }

    package var count: Int { members.count }
    package var isEmpty: Bool { members.isEmpty }
    package var keys: [String] { members.map(\.key) }
    package var values: [JSONValue] { members.map(\.value) }

    /// The member's value; setting `nil` removes it.
    package subscript(key: String) -> JSONValue? {
        get {
            position(of: key).map { members[$0].value }
        }
        set {
            guard let newValue else {
                removeValue(forKey: key)
                return
            }
            update(key) { _ in newValue }
        }
    }

    @discardableResult
    package mutating func removeValue(forKey key: String) -> JSONValue? {
        position(of: key).map { members.remove(at: $0).value }
    }
}

// MARK: - Whole objects

extension JSONObject {
    /// Adds the members of another object; `combine` gets the value here and the other one where both have a key.
    package mutating func merge(
        _ other: JSONObject,
        uniquingKeysWith combine: (JSONValue, JSONValue) throws -> JSONValue
    ) rethrows {
        guard !other.isEmpty else { return }
        guard !isEmpty else {
            self = other
            return
        }
        var merged: [Member] = []
        merged.reserveCapacity(members.count + other.members.count)
        var mine = members[...]
        var theirs = other.members[...]
        while let left = mine.first, let right = theirs.first {
            if Self.areEqual(left.key, right.key) {
                merged.append(Member(key: left.key, value: try combine(left.value, right.value)))
                mine.removeFirst()
                theirs.removeFirst()
            } else if Self.precedes(left.key, right.key) {
                merged.append(left)
                mine.removeFirst()
            } else {
                merged.append(right)
                theirs.removeFirst()
            }
        }
        members = merged + mine + theirs
    }

    package func merging(
        _ other: JSONObject,
        uniquingKeysWith combine: (JSONValue, JSONValue) throws -> JSONValue
    ) rethrows -> JSONObject {
        var result = self
        try result.merge(other, uniquingKeysWith: combine)
        return result
    }

    /// The members that another object lacks, or has with another value; found by one walk through both.
    package func members(unlike other: JSONObject) -> JSONObject {
        if isCopy(of: other) { return [:] }
        var unlike = JSONObject()
        var place = 0
        for member in members {
            while place < other.count, Self.precedes(other.members[place].key, member.key) { place += 1 }
            if place < other.count, Self.areEqual(other.members[place].key, member.key),
                other.members[place].value == member.value
            {
                continue
            }
            unlike.members.append(member)
        }
        return unlike
    }

    package func mapValues(_ transform: (JSONValue) throws -> JSONValue) rethrows -> JSONObject {
        var result = self
        for index in members.indices { result.members[index].value = try transform(members[index].value) }
        return result
    }

    package func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> JSONObject {
        var result = self
        result.members = try members.filter { try isIncluded((key: $0.key, value: $0.value)) }
        return result
    }
}

extension JSONObject: RandomAccessCollection {
    /// One of its own: that of any collection would allocate memory for each member.
    package struct Iterator: IteratorProtocol {
        fileprivate var rest: IndexingIterator<[Member]>

        package mutating func next() -> Element? { rest.next().map { (key: $0.key, value: $0.value) } }
    }

    package func makeIterator() -> Iterator { Iterator(rest: members.makeIterator()) }

    package var startIndex: Int { 0 }
    package var endIndex: Int { members.count }
    package subscript(position: Int) -> Element {
        let member = members[position]
        return (key: member.key, value: member.value)
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}

extension JSONObject: CustomStringConvertible {
    package var description: String { JSONValue.object(self).text }
}

// MARK: - Writing

extension JSONObject {
    /// Calls a function with each member, which is not copied for it.
    func forEachMember(_ body: (_ key: borrowing String, _ value: borrowing JSONValue) -> Void) {
        members.withUnsafeBufferPointer { for index in $0.indices { body($0[index].key, $0[index].value) } }
    }

    /// Whether something is true for each member, in order and with its number, which is not copied for it.
    package func allMembers(_ isTrue: (_ number: Int, _ key: String, _ value: JSONValue) -> Bool) -> Bool {
        members.withUnsafeBufferPointer { members in
            members.indices.allSatisfy { isTrue($0, members[$0].key, members[$0].value) }
        }
    }
}

// MARK: - Members in any order

/// Each insertion moves the members behind it. So what comes in any order, and may be much, is sorted once at its end.
extension JSONObject {
    /// So many members are moved as quickly as they are sorted.
    private static let mostMoved = 16

    /// Whether a member with this key is added at once: at the end, or among few.
    private func isNearby(_ key: String) -> Bool {
        members.count < Self.mostMoved || members.last.map { Self.precedes($0.key, key) } ?? true
    }

    /// Adds a member of a text; of members with the same key the last is used, as in JavaScript.
    ///
    /// - Parameter isSorted: Whether the members before it are in order. If they are not at the end, ``sort()`` follows.
    mutating func add(_ key: String, _ value: JSONValue, isSorted: inout Bool) {
        if isSorted, isNearby(key) {
            update(key) { _ in value }
        } else {
            isSorted = false
            members.append(Member(key: key, value: value))
        }
    }

    /// How many members have room.
    var capacity: Int { members.capacity }

    /// Gives back what was reserved for further members: a copy takes no more memory than it needs.
    mutating func removeRoom() {
        if members.capacity > members.count { members = members.map(\.self) }
    }

    /// Puts the members in order.
    mutating func sort() { sort { _, last in last } }

    private mutating func sort(uniquingKeysWith combine: (JSONValue, JSONValue) throws -> JSONValue) rethrows
    {
        let sorted = members.enumerated().sorted {
            let (left, right) = ($0.element.key, $1.element.key)
            return Self.areEqual(left, right) ? $0.offset < $1.offset : Self.precedes(left, right)
        }
        members.removeAll(keepingCapacity: true)
        for (_, member) in sorted {
            if let last = members.last, Self.areEqual(last.key, member.key) {
                members[members.count - 1].value = try combine(last.value, member.value)
            } else {
                members.append(member)
            }
        }
    }
}

// MARK: - Finding members

extension JSONObject {
    /// Objects up to this size are searched from the front.
    private static let longestScan = 8

    private func position(of key: String) -> Int? {
        guard members.count > Self.longestScan else {
            return members.firstIndex { Self.areEqual($0.key, key) }
        }
        let place = insertionPoint(of: key)
        return place < members.count && Self.areEqual(members[place].key, key) ? place : nil
    }

    /// Where the first member stands that does not precede the key.
    private func insertionPoint(of key: String) -> Int {
        // Most objects are built in order.
        if let last = members.last, Self.precedes(last.key, key) { return members.count }
        var (low, high) = (0, members.count)
        while low < high {
            let middle = (low + high) / 2
            if Self.precedes(members[middle].key, key) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func update(_ key: String, _ change: (JSONValue?) throws -> JSONValue) rethrows {
        let place = insertionPoint(of: key)
        if place == members.count {
            members.append(Member(key: key, value: try change(nil)))
        } else if Self.areEqual(members[place].key, key) {
            members[place].value = try change(members[place].value)
        } else {
            members.insert(Member(key: key, value: try change(nil)), at: place)
        }
    }

    private static func areEqual(_ left: String, _ right: String) -> Bool {
        let (a, b) = (KeyBits(left), KeyBits(right))
        if a == b { return true }
        if a.isShort && b.isShort { return false }
        return left.utf8.count == right.utf8.count && left.utf8.elementsEqual(right.utf8)
    }

    private static func precedes(_ left: String, _ right: String) -> Bool {
        let (a, b) = (KeyBits(left), KeyBits(right))
        return a.isShort && b.isShort ? a.precedes(b) : left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}

/// How a string lies in memory.
///
/// An ASCII text of at most 15 bytes stands in the string itself, where it is compared by two words; nearly every key
/// is one. A test holds this layout, which 64-bit Swift has had since version 5.
/// - Source: the Swift standard library, `SmallString.swift`.
private struct KeyBits: Equatable {
    private let words: (UInt64, UInt64)

    init(_ text: String) { words = unsafeBitCast(text, to: (UInt64, UInt64).self) }

    /// Whether it is an ASCII text that stands in the string itself.
    var isShort: Bool { words.1 >> 60 == 0xE }

    /// For two short texts: whether this one comes first.
    ///
    /// The last byte is the length, which decides between a text and the same with zeros at its end.
    func precedes(_ other: KeyBits) -> Bool {
        (words.0.byteSwapped, words.1.byteSwapped) < (other.words.0.byteSwapped, other.words.1.byteSwapped)
    }

    static func == (left: KeyBits, right: KeyBits) -> Bool { left.words == right.words }
}
