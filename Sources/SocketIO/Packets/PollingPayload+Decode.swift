extension PollingPayload {
    /// Decodes the packets of a body.
    ///
    /// One invalid packet invalidates the body.
    package static func decode(
        _ body: [UInt8],
        _ revision: EngineRevision,
        _ form: PollingFormat,
        limits: EngineLimits
    ) throws(EngineError) -> [EnginePacket] {
        guard body.count <= limits.maximumBodyBytes else {
            throw .bodyTooLong(bytes: body.count, limit: limits.maximumBodyBytes)
        }
        switch (revision, form) {
        case (.three, .text): return try decodeText(body, limits)
        case (.three, .binary): return try decodeBinary(body, limits)
        case (.four, .text): return try decodeSeparated(body, limits)
        case (.four, .binary): throw .binaryPayload
        }
    }

    /// `LENGTH:PACKET`, encoded twice; packets of length 0 are skipped, because they mean "no packets".
    private static func decodeText(_ body: [UInt8], _ limits: EngineLimits) throws(EngineError)
        -> [EnginePacket]
    {
        guard !body.isEmpty else { throw .invalidLength }
        var packets: [EnginePacket] = []
        var count = 0
        var rest = body[...]
        while !rest.isEmpty {
            count += 1
            guard count <= limits.maximumPacketsOfPayload else {
                throw .tooManyPackets(limit: limits.maximumPacketsOfPayload)
            }
            let digits = rest.prefix { DecimalDigits.isDigit($0) }
            rest = rest[digits.endIndex...]
            guard let length = DecimalDigits.number(digits), rest.popFirst() == UInt8(ascii: ":") else {
                throw .invalidLength
            }
            try check(length, limits)
            let packet = try readCharacters(length, of: &rest)
            if length > 0 { packets.append(try EnginePacket(text: packet[...], .three)) }
        }
        return packets
    }

    /// Reads characters from U+0000 to U+00FF, each of which represents a byte.
    private static func readCharacters(
        _ count: Int,
        of rest: inout ArraySlice<UInt8>
    ) throws(EngineError) -> ArraySlice<UInt8> {
        let plain = rest.prefix(count)
        if plain.count == count, !plain.contains(where: { $0 >= 0x80 }) {
            rest = rest[plain.endIndex...]
            return plain
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(count, rest.count))
        while bytes.count < count {
            guard let first = rest.popFirst() else { throw .truncatedPacket(missing: count - bytes.count) }
            guard first >= 0x80 else {
                bytes.append(first)
                continue
            }
            // Any other first byte begins a character above U+00FF, or is invalid.
            guard first & 0xFE == 0xC2, let second = rest.popFirst(), second & 0xC0 == 0x80 else {
                throw .encodedOnce
            }
            bytes.append(first << 6 | second & 0x3F)
        }
        return bytes[...]
    }

    private static func decodeBinary(
        _ body: [UInt8],
        _ limits: EngineLimits
    ) throws(EngineError) -> [EnginePacket] {
        var packets: [EnginePacket] = []
        var rest = body[...]
        while let marker = rest.popFirst() {
            guard packets.count < limits.maximumPacketsOfPayload else {
                throw .tooManyPackets(limit: limits.maximumPacketsOfPayload)
            }
            guard marker <= 1 else { throw .unknownMarker(marker) }
            let digits = rest.prefix { $0 < 10 }
            rest = rest[digits.endIndex...]
            guard let length = DecimalDigits.number(digits, zero: 0), rest.popFirst() == endOfLength else {
                throw .invalidLength
            }
            try check(length, limits)
            let packet = rest.prefix(length)
            guard packet.count == length else { throw .truncatedPacket(missing: length - packet.count) }
            rest = rest[packet.endIndex...]
            packets.append(
                marker == 0
                    ? try EnginePacket(text: packet, .three) : try EnginePacket(binary: packet, .three)
            )
        }
        return packets
    }

    private static func decodeSeparated(
        _ body: [UInt8],
        _ limits: EngineLimits
    ) throws(EngineError) -> [EnginePacket] {
        // One part more than the limit, so that excess is detected without splitting everything.
        let parts = body.split(
            separator: separator,
            maxSplits: max(0, limits.maximumPacketsOfPayload),
            omittingEmptySubsequences: false
        )
        guard parts.count <= limits.maximumPacketsOfPayload else {
            throw .tooManyPackets(limit: limits.maximumPacketsOfPayload)
        }
        var packets: [EnginePacket] = []
        packets.reserveCapacity(parts.count)
        for part in parts {
            try check(part.count, limits)
            packets.append(try EnginePacket(text: part, .four))
        }
        return packets
    }

    private static func check(_ length: Int, _ limits: EngineLimits) throws(EngineError) {
        guard length <= limits.maximumPacketBytes else {
            throw .packetTooLong(bytes: length, limit: limits.maximumPacketBytes)
        }
    }
}
