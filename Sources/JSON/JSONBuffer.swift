import Glibc

/// Compact JSON, written into a buffer that is used again: who writes often keeps one.
///
/// The members of an object are written in the order of their keys, so that equal values give equal bytes.
// Unchecked, because of the pointer: nobody else has that memory, and there are no copies.
package struct JSONBuffer: ~Copyable, @unchecked Sendable {
    /// Its first ``count`` bytes are written.
    private var storage: UnsafeMutableRawPointer
    private var capacity: Int
    package private(set) var count = 0
    private var depth = 0
    /// The most levels of objects and lists within each other.
    package private(set) var nesting = 0

    /// What is kept of the storage when it is emptied.
    private static let kept = 65_536

    package init(capacity: Int = 1024) {
        storage = .allocate(byteCount: capacity, alignment: 8)
        self.capacity = capacity
    }

    deinit { storage.deallocate() }

    /// What was written.
    package var bytes: [UInt8] { Array(written) }

    /// Whether these bytes were written.
    package func holds(_ bytes: [UInt8]) -> Bool {
        bytes.count == count
            && bytes.withUnsafeBytes { $0.baseAddress.map { memcmp($0, storage, count) == 0 } ?? true }
    }

    package borrowing func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows
        -> Result
    {
        try body(written)
    }

    private var written: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: storage, count: count) }

    /// Forgets what was written.
    package mutating func removeAll() {
        (count, depth, nesting) = (0, 0, 0)
        if capacity > Self.kept { resize(to: Self.kept) }
    }

    // MARK: Values

    package mutating func write(_ value: JSONValue) {
        switch value {
        case .null: append("null")
        case .bool(let flag): write(flag)
        case .number(let number): write(number)
        case .numeral(let digits): write(plain: digits)
        case .string(let text): write(text)
        case .array(let elements): writeList(elements) { $0.write($1) }
        case .object(let members): write(members)
        }
    }

    package mutating func write(_ members: JSONObject) {
        begin("{")
        members.forEachMember { key, value in
            separate("{")
            write(key)
            put(":")
            write(value)
        }
        end("}")
    }

    /// Writes an object, whose members come in the order of their keys.
    package mutating func writeObject(_ members: (inout JSONBuffer) -> Void) {
        begin("{")
        members(&self)
        end("}")
    }

    package mutating func writeList<Element>(
        _ elements: some Sequence<Element>,
        _ write: (inout JSONBuffer, Element) -> Void
    ) {
        begin("[")
        for element in elements {
            separate("[")
            write(&self, element)
        }
        end("]")
    }

    package mutating func write(_ flag: Bool) { append(flag ? "true" : "false") }

    package mutating func write(_ number: Int) {
        if number < 0 { put("-") }
        write(digitsOf: number.magnitude)
    }

    private mutating func write(digitsOf magnitude: UInt) {
        let part: UInt = 1_000_000_000
        guard magnitude >= part else {
            let rest = UInt32(truncatingIfNeeded: magnitude)
            var (width, limit) = (1, UInt32(10))
            while width < 9, rest >= limit { (width, limit) = (width + 1, limit &* 10) }
            return write(rest, width: width)
        }
        // Times in milliseconds have more than nine digits.
        write(digitsOf: magnitude / part)
        write(UInt32(truncatingIfNeeded: magnitude % part), width: 9)
    }

    private mutating func write(_ number: UInt32, width: Int) {
        var rest = number
        reserve(width)
        var place = count + width
        repeat {
            place &-= 1
            let digit = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            storage.storeBytes(of: digit, toByteOffset: place, as: UInt8.self)
            rest /= 10
        } while place > count
        count += width
    }

    /// Numbers as in JavaScript: whole ones without fraction; NaN and infinity are null.
    package mutating func write(_ number: Double) {
        if number.magnitude <= 9_007_199_254_740_992, let whole = Int(exactly: number) {
            write(whole)
        } else if number.magnitude < 1_000_000_000, let thousandths = Self.thousandths(number) {
            write(thousandths: thousandths)
        } else {
            write(plain: number.isFinite ? number.description : "null")
        }
    }

    /// The thousandths in a number that has at most three decimals, as most are rounded to; `nil` for others.
    private static func thousandths(_ number: Double) -> Int? {
        let thousandths = (number * 1000).rounded(.toNearestOrEven)
        return thousandths / 1000 == number ? Int(thousandths) : nil
    }

    /// Writes the digits of the number's description: of a decimal this short there is no shorter one.
    private mutating func write(thousandths: Int) {
        if thousandths < 0 { put("-") }
        let (whole, fraction) = thousandths.magnitude.quotientAndRemainder(dividingBy: 1000)
        write(Int(whole))
        put(".")
        var rest = fraction
        while rest > 0 {
            rest *= 10
            put(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest / 1000))
            rest %= 1000
        }
    }

    package mutating func write(_ text: String) {
        let isWritten: Void? = text.utf8.withContiguousStorageIfAvailable {
            write(UnsafeRawBufferPointer($0))
        }
        if isWritten == nil { Array(text.utf8).withUnsafeBytes { write($0) } }
    }

    /// Writes a text of ASCII characters that need no escape, such as digits.
    package mutating func write(ascii length: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
        put("\"")
        reserve(length)
        fill(UnsafeMutableRawBufferPointer(start: storage + count, count: length))
        count += length
        put("\"")
    }

    // MARK: Texts

    private mutating func write(_ text: UnsafeRawBufferPointer) {
        reserve(text.count &+ 2)
        store(UInt8(ascii: "\""))
        guard let start = text.baseAddress, !copies(start, text.count) else {
            count &+= text.count
            return store(UInt8(ascii: "\""))
        }
        for byte in text { if Self.isEscaped(byte) { escape(byte) } else { put(byte) } }
        put("\"")
    }

    /// Copies a text behind what was written, unless something in it must be escaped, which is seldom.
    private func copies(_ text: UnsafeRawPointer, _ length: Int) -> Bool {
        let target = storage + count
        var index = 0
        guard length >= 8 else {
            if length >= 4 {
                let last = length &- 4
                let head = text.loadUnaligned(as: UInt32.self)
                let tail = text.loadUnaligned(fromByteOffset: last, as: UInt32.self)
                guard !Self.hasEscaped(UInt64(head) | UInt64(tail) << 32) else { return false }
                target.storeBytes(of: head, as: UInt32.self)
                target.storeBytes(of: tail, toByteOffset: last, as: UInt32.self)
                return true
            }
            while index < length {
                let byte = text.load(fromByteOffset: index, as: UInt8.self)
                guard !Self.isEscaped(byte) else { return false }
                target.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
                index &+= 1
            }
            return true
        }
        let last = length &- 8
        while true {
            let word = text.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            guard !Self.hasEscaped(word) else { return false }
            target.storeBytes(of: word, toByteOffset: index, as: UInt64.self)
            guard index < last else { return true }
            // The last eight, as the last four above, may begin among those before.
            index = min(index &+ 8, last)
        }
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Whether one of eight bytes must be escaped: a byte becomes 0 if it is the one that is looked for, and the highest
    /// bit is set by the loan that such a byte takes.
    private static func hasEscaped(_ word: UInt64) -> Bool {
        let (ones, tops): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        let quote = word ^ ones &* 0x22
        let backslash = word ^ ones &* 0x5C
        let found =
            (quote &- ones) & ~quote | (backslash &- ones) & ~backslash | (word &- ones &* 0x20) & ~word
        return found & tops != 0
    }

    private static let hex = Array("0123456789abcdef".utf8)

    private mutating func escape(_ byte: UInt8) {
        put("\\")
        switch byte {
        case 0x0A: put("n")
        case 0x0D: put("r")
        case 0x09: put("t")
        case 0x00..<0x20:
            append("u00")
            put(Self.hex[Int(byte >> 4)])
            put(Self.hex[Int(byte & 15)])
        default: put(byte)
        }
    }

    // MARK: Bytes

    private mutating func begin(_ bracket: Unicode.Scalar) {
        put(bracket)
        depth += 1
        nesting = max(nesting, depth)
    }

    private mutating func end(_ bracket: Unicode.Scalar) {
        put(bracket)
        depth -= 1
    }

    /// A comma, unless nothing follows the bracket yet.
    @inline(__always)
    private mutating func separate(_ bracket: Unicode.Scalar) {
        let last = storage.load(fromByteOffset: count &- 1, as: UInt8.self)
        if last != UInt8(truncatingIfNeeded: bracket.value) { put(",") }
    }

    @inline(__always)
    private mutating func reserve(_ more: Int) {
        if capacity &- count < more { resize(to: max(count + more, 2 * capacity)) }
    }

    private mutating func resize(to size: Int) {
        let larger = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
        larger.copyMemory(from: storage, byteCount: count)
        storage.deallocate()
        (storage, capacity) = (larger, size)
    }

    @inline(__always)
    private mutating func put(_ character: Unicode.Scalar) { put(UInt8(truncatingIfNeeded: character.value)) }

    @inline(__always)
    private mutating func put(_ byte: UInt8) {
        reserve(1)
        store(byte)
    }

    /// Writes a byte for which room was reserved.
    @inline(__always)
    private mutating func store(_ byte: UInt8) {
        storage.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count &+= 1
    }

    private mutating func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Writes a text as it is: digits, or a word that stands alone and is no JSON.
    package mutating func write(plain text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) {
        reserve(bytes.count)
        if let start = bytes.baseAddress { (storage + count).copyMemory(from: start, byteCount: bytes.count) }
        count += bytes.count
    }
}

// MARK: - Members

extension JSONBuffer: JSONMembers {
    private mutating func key(_ name: StaticString) {
        let length = name.utf8CodeUnitCount
        reserve(length &+ 4)
        separate("{")
        store(UInt8(ascii: "\""))
        (storage + count).copyMemory(from: name.utf8Start, byteCount: length)
        count &+= length
        store(UInt8(ascii: "\""))
        store(UInt8(ascii: ":"))
    }

    package mutating func add(_ name: StaticString, _ value: JSONValue) {
        key(name)
        write(value)
    }

    package mutating func add(_ name: StaticString, _ text: String) {
        key(name)
        write(text)
    }

    package mutating func add(_ name: StaticString, _ number: Int) {
        key(name)
        write(number)
    }

    package mutating func add(_ name: StaticString, _ number: Double) {
        key(name)
        write(number)
    }

    package mutating func add(_ name: StaticString, _ flag: Bool) {
        key(name)
        write(flag)
    }

    package mutating func add(_ name: StaticString, _ texts: [String]) {
        key(name)
        writeList(texts) { $0.write($1) }
    }

    package mutating func add(_ name: StaticString, _ members: JSONObject) {
        key(name)
        write(members)
    }

    package mutating func add(
        _ name: StaticString,
        ascii length: Int,
        _ fill: (UnsafeMutableRawBufferPointer) -> Void
    ) {
        key(name)
        write(ascii: length, fill)
    }

    package mutating func add(_ name: StaticString, members: (inout JSONBuffer) -> Void) {
        key(name)
        writeObject(members)
    }
}

// MARK: - Values as bytes

extension JSONValue {
    /// Compact JSON with sorted keys, UTF-8.
    package var bytes: [UInt8] {
        var buffer = JSONBuffer()
        buffer.write(self)
        return buffer.bytes
    }

    /// Compact JSON with sorted keys.
    package var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension JSONValue: CustomStringConvertible {
    package var description: String { text }
}
