import Bindings

/// The sums of a group as bytes: a count, and of each field what there is.
enum StoredSums {
    private enum Part {
        static let integers: UInt8 = 1
        static let decimals: UInt8 = 2
        static let scaled: UInt8 = 4
        static let rest: UInt8 = 8
    }

    static func bytes(of sums: GroupSums) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(sums.isCut ? 1 as UInt8 : 0)
        writer.write(count: sums.count)
        for field in sums.fields { write(field, to: &writer) }
        return writer.bytes
    }

    private static func write(_ field: GroupSums.Field, to writer: inout ByteWriter) {
        let sum = field.sum
        let rest = [sum.booleans, sum.objects, sum.arrays, sum.others]
        var parts: UInt8 = 0
        if sum.integers.count > 0 { parts |= Part.integers }
        if sum.decimals.count > 0 { parts |= Part.decimals }
        if sum.decimals.total.isScaled { parts |= Part.scaled }
        if rest.contains(where: { $0 > 0 }) { parts |= Part.rest }
        writer.write(field.name)
        writer.write(parts)
        if parts & Part.integers > 0 {
            writer.write(count: sum.integers.count)
            writer.write(Int64(truncatingIfNeeded: sum.integers.total >> 64))
            writer.write(UInt64(truncatingIfNeeded: sum.integers.total))
            write(sum.integers.least, to: &writer) { $0.write($1) }
            write(sum.integers.greatest, to: &writer) { $0.write($1) }
        }
        if parts & Part.decimals > 0 {
            writer.write(count: sum.decimals.count)
            writer.write(sum.decimals.total.total)
            writer.write(sum.decimals.total.lost)
            write(sum.decimals.least, to: &writer) { $0.write($1) }
            write(sum.decimals.greatest, to: &writer) { $0.write($1) }
        }
        if parts & Part.rest > 0 { for count in rest { writer.write(count: count) } }
    }

    private static func write<Value>(
        _ extreme: Extreme<Value>?,
        to writer: inout ByteWriter,
        _ write: (inout ByteWriter, Value) -> Void
    ) {
        writer.write(extreme == nil ? 0 as UInt8 : 1)
        guard let extreme else { return }
        write(&writer, extreme.value)
        writer.write(extreme.at)
    }

    /// `nil` for bytes that are no sums.
    ///
    /// - Parameter names: The fields of interest, each once; `nil` for all. Of a group that lacks fields all are read, since
    ///   what it lacks is known only then.
    static func sums(in bytes: ArraySlice<UInt8>, only names: [[UInt8]]? = nil) -> GroupSums? {
        var reader = ByteReader(bytes)
        guard let isCut = reader.byte(), let count = reader.count() else { return nil }
        let names = isCut > 0 ? nil : names
        var fields: [GroupSums.Field] = []
        while !reader.isAtEnd, fields.count < names?.count ?? .max {
            guard let name = reader.list(), let parts = reader.byte() else { return nil }
            if let names, !names.contains(where: { $0.elementsEqual(name) }) {
                guard skip(parts, &reader) else { return nil }
                continue
            }
            guard let sum = sum(parts, &reader) else { return nil }
            fields.append(GroupSums.Field(String(decoding: name, as: UTF8.self), sum))
        }
        return GroupSums(count: count, fields: fields, isCut: isCut > 0)
    }

    static func sums(in bytes: [UInt8], only names: [[UInt8]]? = nil) -> GroupSums? {
        sums(in: bytes[...], only: names)
    }

    private static func sum(_ parts: UInt8, _ reader: inout ByteReader) -> FieldSum? {
        var sum = FieldSum()
        if parts & Part.integers > 0 {
            guard let count = reader.count(), let high = reader.signed(), let low = reader.unsigned()
            else { return nil }
            let integers = NumberSum(
                count: count,
                total: Int128(high) << 64 | Int128(low),
                least: integer(&reader),
                greatest: integer(&reader)
            )
            sum = FieldSum(integers: integers)
        }
        if parts & Part.decimals > 0 {
            guard let count = reader.count(), let total = reader.double(), let lost = reader.double()
            else { return nil }
            let decimals = NumberSum(
                count: count,
                total: DecimalSum(total: total, lost: lost, isScaled: parts & Part.scaled > 0),
                least: decimal(&reader),
                greatest: decimal(&reader)
            )
            sum = FieldSum(integers: sum.integers, decimals: decimals)
        }
        if parts & Part.rest > 0 {
            guard let booleans = reader.count(), let objects = reader.count(), let arrays = reader.count(),
                let others = reader.count()
            else { return nil }
            sum = FieldSum(
                integers: sum.integers,
                decimals: sum.decimals,
                booleans: booleans,
                objects: objects,
                arrays: arrays,
                others: others
            )
        }
        return sum
    }

    /// Passes over the sums of a field.
    ///
    /// - Returns: `false` for bytes that are none.
    private static func skip(_ parts: UInt8, _ reader: inout ByteReader) -> Bool {
        if parts & Part.integers > 0 {
            guard reader.skipNumbers(3) else { return false }
            for _ in 0..<2 where reader.byte() == 1 {
                guard reader.skipNumbers(2) else { return false }
            }
        }
        if parts & Part.decimals > 0 {
            guard reader.skipNumbers(1), reader.skip(16) else { return false }
            for _ in 0..<2 where reader.byte() == 1 {
                guard reader.skip(8), reader.skipNumbers(1) else { return false }
            }
        }
        return parts & Part.rest == 0 || reader.skipNumbers(4)
    }

    // Not one generic function: see the initializers of NumberSum.

    private static func integer(_ reader: inout ByteReader) -> (value: Int64, at: Int64)? {
        guard reader.byte() == 1, let value = reader.signed(), let at = reader.signed() else { return nil }
        return (value, at)
    }

    private static func decimal(_ reader: inout ByteReader) -> (value: Double, at: Int64)? {
        guard reader.byte() == 1, let value = reader.double(), let at = reader.signed() else { return nil }
        return (value, at)
    }
}
