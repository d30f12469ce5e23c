import JSON

/// The values of one field in packed samples, in the smallest form that all of them have.
struct PackedColumn {
    private enum Form: UInt8 {
        /// Whole numbers after a multiplication with a power of ten; the differences.
        case decimals = 0
        /// Other numbers; first the lowest bytes of all, then the next ones.
        case doubles = 1
        case booleans = 2
        /// Compact JSON, a line each.
        case json = 3
    }

    /// Which samples have a value; `nil` if all do.
    private let isPresent: ArraySlice<UInt8>?
    private let count: Int
    private let form: Form
    private let bytes: ArraySlice<UInt8>

    private static let powers: [Double] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000]
    private static let greatestWhole = 9_007_199_254_740_992.0

    // MARK: Packing

    /// - Parameter values: Of each sample; `nil` for those without the field.
    static func write(_ values: [JSONValue?], to writer: inout ByteWriter) {
        let there = values.compactMap { $0 }
        if there.count == values.count {
            writer.write(0 as UInt8)
        } else {
            writer.write(1 as UInt8)
            writer.write(values.map { $0 == nil ? 0 : 1 })
        }
        let (form, bytes) = packed(there)
        writer.write(form.rawValue)
        writer.write(bytes)
    }

    private static func packed(_ values: [JSONValue]) -> (Form, [UInt8]) {
        let flags = values.compactMap { $0.bool }
        if flags.count == values.count { return (.booleans, flags.map { $0 ? 1 : 0 }) }
        let numbers = values.compactMap { value -> Double? in
            if case .number(let number) = value { number } else { nil }
        }
        guard numbers.count == values.count else { return (.json, lines(values)) }
        for (index, power) in powers.enumerated() {
            if let bytes = decimals(numbers, power, UInt8(index)) { return (.decimals, bytes) }
        }
        return (.doubles, doubles(numbers))
    }

    private static func decimals(_ numbers: [Double], _ power: Double, _ index: UInt8) -> [UInt8]? {
        var writer = ByteWriter()
        writer.write(index)
        var last: Int64 = 0
        for number in numbers {
            let whole = (number * power).rounded(.toNearestOrEven)
            guard whole.magnitude <= greatestWhole, whole / power == number else { return nil }
            writer.write(Int64(whole) - last)
            last = Int64(whole)
        }
        return writer.bytes
    }

    private static func doubles(_ numbers: [Double]) -> [UInt8] {
        (0..<8).flatMap { place in
            numbers.map { UInt8(truncatingIfNeeded: $0.bitPattern >> UInt64(8 * place)) }
        }
    }

    private static func lines(_ values: [JSONValue]) -> [UInt8] {
        Array(values.map(\.bytes).joined(separator: [UInt8(ascii: "\n")]))
    }

    // MARK: Reading

    /// - Parameter count: How many samples there are.
    init?(_ reader: inout ByteReader, _ count: Int) {
        self.count = count
        switch reader.byte() {
        case 0: isPresent = nil
        case 1:
            guard let flags = reader.list(), flags.count == count else { return nil }
            isPresent = flags
        default: return nil
        }
        guard let form = reader.byte().flatMap({ Form(rawValue: $0) }), let bytes = reader.list() else {
            return nil
        }
        (self.form, self.bytes) = (form, bytes)
    }

    /// The values of some samples; `nil` if they cannot be read.
    func values(_ range: Range<Int>) -> [JSONValue?]? {
        guard range.lowerBound >= 0, range.upperBound <= count else { return nil }
        guard let isPresent else { return there(range) }
        let flags = isPresent.dropFirst(range.lowerBound).prefix(range.count)
        let before = isPresent.prefix(range.lowerBound).count { $0 > 0 }
        guard let values = there(before..<before + flags.count { $0 > 0 }) else { return nil }
        var rest = values[...]
        return flags.map { $0 > 0 ? rest.popFirst() : nil }
    }

    private func there(_ range: Range<Int>) -> [JSONValue]? {
        let values: [JSONValue]? =
            switch form {
            case .decimals: decimals(range)
            case .doubles: doubles(range)
            case .booleans: bytes.dropFirst(range.lowerBound).prefix(range.count).map { .bool($0 > 0) }
            case .json: lines(range)
            }
        return values?.count == range.count ? values : nil
    }

    private func decimals(_ range: Range<Int>) -> [JSONValue]? {
        var reader = ByteReader(bytes)
        guard let index = reader.byte(), index < Self.powers.count else { return nil }
        let power = Self.powers[Int(index)]
        var values: [JSONValue] = []
        values.reserveCapacity(range.count)
        var last: Int64 = 0
        for number in 0..<range.upperBound {
            guard let difference = reader.signed() else { return nil }
            last &+= difference
            if number >= range.lowerBound { values.append(.number(Double(last) / power)) }
        }
        return values
    }

    private func doubles(_ range: Range<Int>) -> [JSONValue]? {
        let count = bytes.count / 8
        guard bytes.count % 8 == 0, range.upperBound <= count else { return nil }
        return range.map { number in
            let bits = (0..<8).reduce(UInt64(0)) { bits, place in
                bits | UInt64(bytes[bytes.startIndex + place * count + number]) << UInt64(8 * place)
            }
            let value = Double(bitPattern: bits)
            return value.isFinite ? .number(value) : .null
        }
    }

    private func lines(_ range: Range<Int>) -> [JSONValue]? {
        if range.isEmpty { return [] }
        var values: [JSONValue] = []
        var rest = bytes
        for number in 0..<range.upperBound {
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest.dropFirst(line.count + 1)
            guard number >= range.lowerBound else { continue }
            guard let value = try? JSONValue(parsing: line, maximumDepth: 128, keepsHugeNumbers: true) else {
                return nil
            }
            values.append(value)
        }
        return values
    }
}
