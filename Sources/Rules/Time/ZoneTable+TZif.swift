package import Things

// MARK: - Files of the time zone database

extension ZoneTable {
    /// Bytes of the longest file that is read.
    package static let maximumBytes = 65_536
    /// The last year up to which a rule is expanded.
    package static let lastYear = 2_500

    /// Reads a TZif file of version 2 or later.
    ///
    /// The rule in its footer is expanded into transitions.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - year: The last year with transitions of the rule, at most ``lastYear``.
    /// - Throws: `invalid_value` for a file that is damaged, has leap seconds or is of version 1.
    /// - Source: RFC 9636, section 3.
    package init(tzif bytes: [UInt8], until year: Int) throws(Refusal) {
        guard bytes.count <= Self.maximumBytes else {
            throw Refusal(.tooLarge, "a time zone file must have at most \(Self.maximumBytes) bytes")
        }
        var reader = ByteReader(bytes)
        let first = try TZifHeader(&reader)
        guard first.version >= UInt8(ascii: "2") else {
            throw Self.damaged("is of version 1; version 2 or later is needed")
        }
        guard reader.bytes(first.length(ofTimes: 4)) != nil else { throw Self.damaged("is cut off") }
        let header = try TZifHeader(&reader)
        let (firstOffset, transitions) = try Self.transitions(header, &reader)
        guard let rule = try Self.footer(&reader) else {
            self.init(verified: firstOffset, transitions)
            return
        }
        let table = rule.transitions(after: transitions, until: year)
        self.init(
            verified: transitions.isEmpty ? rule.offset(before: table.first) : firstOffset,
            table
        )
    }

    /// The zone of a rule such as `CET-1CEST,M3.5.0,M10.5.0/3`.
    ///
    /// - Parameters:
    ///   - rule: As in the variable TZ.
    ///   - years: The first and last year with transitions.
    /// - Returns: `nil` if the rule is not legal.
    /// - Source: POSIX.1-2024, section 8.3, with the extension of RFC 9636, section 3.3.1.
    package init?(rule: String, in years: ClosedRange<Int>) {
        guard let rule = ZoneRule(rule) else { return nil }
        let table = rule.transitions(after: [], from: years.lowerBound, until: years.upperBound)
        self.init(verified: rule.offset(before: table.first), table)
    }

    static func damaged(_ rest: String) -> Refusal { Refusal(.invalidValue, "the time zone file \(rest)") }

    /// The offset before the first transition, and the transitions in the years 1 to 9999.
    private static func transitions(
        _ header: TZifHeader,
        _ reader: inout ByteReader
    ) throws(Refusal) -> (Int, [Transition]) {
        var times: [Int64] = []
        var types: [Int] = []
        var offsets: [Int] = []
        for _ in 0..<header.times {
            guard let time = reader.signed64() else { throw damaged("is cut off") }
            guard time > times.last ?? .min else { throw damaged("has times that do not rise") }
            times.append(time)
        }
        for _ in 0..<header.times {
            guard let type = reader.unsigned(1) else { throw damaged("is cut off") }
            guard type < header.types else { throw damaged("names a type of time that it does not have") }
            types.append(type)
        }
        for _ in 0..<header.types {
            guard let offset = reader.signed32(), let isDaylight = reader.unsigned(1),
                let name = reader.unsigned(1)
            else { throw damaged("is cut off") }
            guard Self.offsets ~= offset, isDaylight <= 1, name < header.characters else {
                throw damaged("has a type of time that is not legal")
            }
            offsets.append(offset)
        }
        let unused = header.characters + header.standardFlags + header.universalFlags
        guard reader.bytes(unused) != nil else { throw damaged("is cut off") }
        return table(times, types.map { offsets[$0] }, first: offsets[0])
    }

    private static func table(_ times: [Int64], _ offsets: [Int], first: Int) -> (Int, [Transition]) {
        let legal = clamped(.min) / 1000...clamped(.max) / 1000
        var first = first
        var transitions: [Transition] = []
        for (time, offset) in zip(times, offsets) {
            if time < legal.lowerBound {
                first = offset
            } else if time <= legal.upperBound {
                transitions.append(Transition(instant: time * 1000, offset: offset))
            }
        }
        return (first, transitions)
    }

    /// The rule for times after the last transition; `nil` if there is none.
    private static func footer(_ reader: inout ByteReader) throws(Refusal) -> ZoneRule? {
        let newline = UInt8(ascii: "\n")
        guard reader.rest.count >= 2, reader.rest.first == newline, reader.rest.last == newline else {
            throw damaged("has no footer")
        }
        let text = reader.rest.dropFirst().dropLast()
        guard !text.isEmpty else { return nil }
        guard let rule = ZoneRule(text) else { throw damaged("has a rule that is not legal") }
        return rule
    }
}

/// The counts at the start of a block of a TZif file.
/// - Source: RFC 9636, section 3.1.
private struct TZifHeader {
    let version: UInt8
    let universalFlags: Int
    let standardFlags: Int
    let leapSeconds: Int
    let times: Int
    let types: Int
    let characters: Int

    init(_ reader: inout ByteReader) throws(Refusal) {
        guard let magic = reader.bytes(4), magic.elementsEqual("TZif".utf8) else {
            throw Refusal(.invalidValue, "the file is no time zone file: it does not begin with TZif")
        }
        guard let version = reader.bytes(1)?.first, reader.bytes(15) != nil,
            let universalFlags = reader.unsigned(4), let standardFlags = reader.unsigned(4),
            let leapSeconds = reader.unsigned(4), let times = reader.unsigned(4),
            let types = reader.unsigned(4), let characters = reader.unsigned(4)
        else { throw ZoneTable.damaged("is cut off") }
        // A type's number is one byte.
        guard 1...256 ~= types, 1...ZoneTable.maximumBytes ~= characters, times <= ZoneTable.maximumBytes,
            [0, types].contains(universalFlags), [0, types].contains(standardFlags)
        else { throw ZoneTable.damaged("has counts that are not legal") }
        guard leapSeconds == 0 else { throw ZoneTable.damaged("has leap seconds, which are not supported") }
        self.version = version
        (self.universalFlags, self.standardFlags) = (universalFlags, standardFlags)
        (self.leapSeconds, self.times, self.types) = (leapSeconds, times, types)
        self.characters = characters
    }

    /// Bytes of the block.
    ///
    /// - Parameter size: Bytes of a time.
    func length(ofTimes size: Int) -> Int {
        times * (size + 1) + types * 6 + characters + leapSeconds * (size + 4) + standardFlags
            + universalFlags
    }
}
