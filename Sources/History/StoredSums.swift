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
    static func sums(in bytes: [UInt8]) -> GroupSums? {
        var reader = ByteReader(bytes)
        guard let isCut = reader.byte(), let count = reader.count() else { return nil }
        var fields: [GroupSums.Field] = []
        while !reader.isAtEnd {
            guard let field = field(&reader) else { return nil }
            fields.append(field)
        }
        return GroupSums(count: count, fields: fields, isCut: isCut > 0)
    }

    private static func field(_ reader: inout ByteReader) -> GroupSums.Field? {
        guard let name = reader.text(), let parts = reader.byte() else { return nil }
        var sum = FieldSum()
        if parts & Part.integers > 0 {
            guard let count = reader.count(), let high = reader.signed(), let low = reader.unsigned()
            else { return nil }
            let integers = NumberSum(
                count: count,
                total: Int128(high) << 64 | Int128(low),
                least: extreme(&reader) { $0.signed() },
                greatest: extreme(&reader) { $0.signed() }
            )
            sum = FieldSum(integers: integers)
        }
        if parts & Part.decimals > 0 {
            guard let count = reader.count(), let total = reader.double(), let lost = reader.double()
            else { return nil }
            let decimals = NumberSum(
                count: count,
                total: DecimalSum(total: total, lost: lost, isScaled: parts & Part.scaled > 0),
                least: extreme(&reader) { $0.double() },
                greatest: extreme(&reader) { $0.double() }
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
        return GroupSums.Field(name, sum)
    }

    private static func extreme<Value>(
        _ reader: inout ByteReader,
        _ read: (inout ByteReader) -> Value?
    ) -> Extreme<Value>? {
        guard reader.byte() == 1, let value = read(&reader), let at = reader.signed() else { return nil }
        return Extreme(value, at: at)
    }
}
