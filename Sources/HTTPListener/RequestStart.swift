import NIOCore

/// The first bytes of a request, by which its target is known before its head is complete, or if that is broken.
struct RequestStart {
    /// Enough for the beginning of every path that matters.
    private static let longest = 512

    private var bytes: [UInt8] = []

    mutating func append(_ buffer: ByteBuffer) {
        guard bytes.count < Self.longest else { return }
        bytes += buffer.readableBytesView.prefix(Self.longest - bytes.count)
    }

    mutating func clear() { bytes.removeAll(keepingCapacity: true) }

    /// The target, as far as its parts are complete; `nil` if this is not the first line of a request.
    /// - Source: RFC 9112, 2.2 and 3.
    var target: String? {
        func isEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n") }
        let bytes = bytes.drop(while: isEnd)
        let line = bytes.prefix { !isEnd($0) }
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count > 1, !words[0].isEmpty, words[0].allSatisfy({ $0.isASCIICapital }) else {
            return nil
        }
        let isComplete = words.count > 2 || line.count < bytes.count
        let word = words[1]
        guard !isComplete else { return String(decoding: word, as: UTF8.self) }
        return word.lastIndex(of: UInt8(ascii: "/")).map { String(decoding: word[...$0], as: UTF8.self) }
    }
}

extension UInt8 {
    fileprivate var isASCIICapital: Bool { UInt8(ascii: "A") <= self && self <= UInt8(ascii: "Z") }
}
