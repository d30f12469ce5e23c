/// Collects bytes until one JSON value is complete: the brackets and braces outside of its texts say where it ends.
package struct MessageBuffer: Sendable, Hashable {
    package enum Step: Sendable, Hashable {
        case incomplete
        /// A whole value; what follows it is left in the buffer.
        case complete([UInt8])
        case refused(DirectoryRefusal)
    }

    private var bytes: [UInt8] = []
    /// How many bytes have been looked at.
    private var position = 0
    private var depth = 0
    private var isInText = false
    private var isEscaped = false
    private var hasBegun = false

    package init() {}

    /// Whether something has come that is no white space.
    package var isEmpty: Bool { !hasBegun }

    package mutating func append(_ new: some Collection<UInt8>) -> Step {
        // More than one message is never needed.
        let room = DirectoryMessage.maximumBytes + 1 - bytes.count
        bytes.append(contentsOf: new.prefix(max(0, room)))
        return next()
    }

    /// The next value in the buffer.
    package mutating func next() -> Step {
        while position < bytes.count {
            let byte = bytes[position]
            guard position < DirectoryMessage.maximumBytes else { return .refused(.tooLong) }
            position += 1
            if !hasBegun {
                if Self.isSpace(byte) { continue }
                guard byte == UInt8(ascii: "{") else { return .refused(.noJSON) }
                (hasBegun, depth) = (true, 1)
                continue
            }
            switch step(byte) {
            case .incomplete: continue
            case .complete:
                let value = Array(bytes[..<position])
                bytes.removeSubrange(..<position)
                (position, depth, hasBegun) = (0, 0, false)
                return .complete(value)
            case .refused(let refusal): return .refused(refusal)
            }
        }
        return .incomplete
    }

    private mutating func step(_ byte: UInt8) -> Step {
        if isInText {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInText = false
            }
            return .incomplete
        }
        switch byte {
        case UInt8(ascii: "\""): isInText = true
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            depth += 1
            if depth > DirectoryMessage.maximumDepth { return .refused(.tooDeep) }
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            if depth == 0 { return .complete([]) }
        default: break
        }
        return .incomplete
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}
